import { useState } from "preact/hooks";
import type { EmulatorGroup } from "../src/state/group-store.js";
import type { StoredKey } from "../src/state/key-store.js";
import type { LedgerTotal } from "../src/state/ledger.js";
import type { ServedModel } from "../src/state/model-store.js";
import { control, list } from "./api.js";
import { dateOf, masked, money } from "./format.js";
import { CopyButton, Input, Problem, Section, Select, Table } from "./parts.js";
import { useAction, useData } from "./use-data.js";

/** Keys, token groups and models. */
export function Keys() {
  const { data, error, reload } = useData(async () => ({
    keys: await list<StoredKey>("/keys"),
    groups: await list<EmulatorGroup>("/groups"),
    models: await list<ServedModel>("/models"),
  }));
  return (
    <>
      <Section title="Keys">
        <Problem text={error} />
        <Table label="Keys" head={["Key", "Group", "Spent", "Quota", "Rate", "State", "Actions"]}>
          {data?.keys.map((key) => (
            <KeyRow key={key.key} stored={key} onChange={reload} />
          ))}
        </Table>
        <NewKey groups={data?.groups ?? []} onChange={reload} />
      </Section>
      <Section title="Token groups">
        <Table label="Token groups" head={["Group", "Description", "Models"]}>
          {data?.groups.map(({ name, description, models }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{description ?? ""}</td>
              <td class="dim">{models.join(", ")}</td>
            </tr>
          ))}
        </Table>
      </Section>
      <Section title="Models">
        <Table label="Models" head={["Model", "Serves", "Like", "Units per thousand"]}>
          {data?.models.map(({ id, serves, like, price }) => (
            <tr key={id}>
              <th scope="row">{id}</th>
              <td>{serves}</td>
              <td>{like ?? ""}</td>
              <td class="dim">
                {Object.entries(price)
                  .map(([name, units]) => `${name} ${units}`)
                  .join(", ")}
              </td>
            </tr>
          ))}
        </Table>
        <NewModel models={data?.models ?? []} onChange={reload} />
      </Section>
    </>
  );
}

function KeyRow({ stored, onChange }: { stored: StoredKey; onChange: () => Promise<void> }) {
  const { key, group, quota, rateLimit, disabled, expiresAt } = stored;
  const { error, isBusy, run } = useAction();
  const spent = useData(() => control<LedgerTotal>(`/ledger/total?key=${encodeURIComponent(key)}`));
  const path = `/keys/${encodeURIComponent(key)}`;
  const change = (work: () => Promise<unknown>) => run(() => work().then(onChange));
  return (
    <tr>
      <th scope="row">
        <code>{masked(key)}</code> <CopyButton text={key} />
        <Problem text={error} />
      </th>
      <td>{group}</td>
      <td>{spent.data ? money(spent.data.units) : ""}</td>
      <td>{quota === undefined ? "no end" : money(quota)}</td>
      <td>{rateLimit ? `${rateLimit.requests} in ${rateLimit.windowMs} ms` : "no limit"}</td>
      <td>{disabled ? "disabled" : expiresAt === undefined ? "in use" : `until ${dateOf(expiresAt)}`}</td>
      <td>
        <button
          type="button"
          class="quiet"
          disabled={isBusy}
          onClick={() => void change(() => control(path, "PATCH", { disabled: !disabled }))}
        >
          {disabled ? "Enable" : "Disable"}
        </button>
        <button
          type="button"
          class="quiet"
          disabled={isBusy}
          onClick={() => void change(() => control(path, "DELETE"))}
        >
          Delete
        </button>
      </td>
    </tr>
  );
}

function NewKey({ groups, onChange }: { groups: EmulatorGroup[]; onChange: () => Promise<void> }) {
  const [key, setKey] = useState("sk-");
  const [group, setGroup] = useState("default");
  const [quota, setQuota] = useState("");
  const { error, isBusy, run } = useAction();
  const add = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      await control("/keys", "POST", { key, group, ...(quota !== "" && { quota: Number(quota) }) });
      setKey("sk-");
      await onChange();
    });
  };
  return (
    <form class="bar" aria-label="New key" onSubmit={add}>
      <Input label="New key" value={key} onValue={setKey} />
      <Select label="Group" value={group} options={groups.map(({ name }) => name)} onValue={setGroup} />
      <Input
        label="Quota, in units"
        value={quota}
        onValue={setQuota}
        inputMode="numeric"
        placeholder="no end"
      />
      <button type="submit" disabled={isBusy}>
        Add
      </button>
      <Problem text={error} />
    </form>
  );
}

function NewModel({ models, onChange }: { models: ServedModel[]; onChange: () => Promise<void> }) {
  const [id, setId] = useState("");
  const [like, setLike] = useState("local-chat");
  const { error, isBusy, run } = useAction();
  const add = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      await control("/models", "POST", { id, like });
      setId("");
      await onChange();
    });
  };
  return (
    <form class="bar" aria-label="New model" onSubmit={add}>
      <Input label="New model" value={id} onValue={setId} placeholder="gpt-4o" />
      <Select label="Like" value={like} options={models.map((model) => model.id)} onValue={setLike} />
      <button type="submit" disabled={isBusy}>
        Add
      </button>
      <Problem text={error} />
    </form>
  );
}
