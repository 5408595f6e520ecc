import { useId, useState } from "preact/hooks";
import type { StateSnapshot } from "../src/keeper/snapshot-shelf.js";
import { control, list, stateURL } from "./api.js";
import { dateOf } from "./format.js";
import { Empty, Input, Problem, Section, Table } from "./parts.js";
import { useAction, useData } from "./use-data.js";

/** States put aside under names, and the whole state as a file. */
export function State() {
  return (
    <>
      <Snapshots />
      <WholeState />
    </>
  );
}

function Snapshots() {
  const { data, error, reload } = useData(() => list<StateSnapshot>("/snapshots"));
  const [name, setName] = useState("");
  const action = useAction();
  const ask = (path: string, method: string) =>
    void action.run(() => control(`/snapshots/${path}`, method).then(reload));
  return (
    <Section title="Snapshots">
      <Problem text={error ?? action.error} />
      {data?.length === 0 && <Empty>No state was put aside.</Empty>}
      {data !== undefined && data.length > 0 && (
        <Table label="Snapshots" head={["Name", "Saved", "Bytes", "Actions"]}>
          {data.map((snapshot) => (
            <tr key={snapshot.name}>
              <th scope="row">{snapshot.name}</th>
              <td>{dateOf(snapshot.savedAt)}</td>
              <td>{snapshot.bytes}</td>
              <td>
                <button
                  type="button"
                  class="quiet"
                  disabled={action.isBusy}
                  onClick={() => ask(`${snapshot.name}/restore`, "POST")}
                >
                  Restore
                </button>
                <button
                  type="button"
                  class="quiet"
                  disabled={action.isBusy}
                  onClick={() => ask(snapshot.name, "DELETE")}
                >
                  Remove
                </button>
              </td>
            </tr>
          ))}
        </Table>
      )}
      <form
        class="bar"
        aria-label="New snapshot"
        onSubmit={(event) => {
          event.preventDefault();
          ask(encodeURIComponent(name), "POST");
        }}
      >
        <Input label="Name" value={name} onValue={setName} />
        <button type="submit" disabled={action.isBusy || name === ""}>
          Save
        </button>
      </form>
    </Section>
  );
}

function WholeState() {
  const id = useId();
  const action = useAction();
  const [done, setDone] = useState<string>();
  const act = (what: string, work: () => Promise<unknown>) => {
    setDone(undefined);
    void action.run(() => work().then(() => setDone(what)));
  };
  const put = async (file: File) => control("/state", "PUT", JSON.parse(await file.text()) as unknown);
  return (
    <Section title="The whole state">
      <Problem text={action.error} />
      <p>Keys stand in it whole, and so does what clients sent.</p>
      <div class="bar">
        <a href={stateURL()} download="state.json">
          Export
        </a>
        <div class="field">
          <label for={id}>Import</label>
          <input
            id={id}
            type="file"
            accept="application/json,.json"
            disabled={action.isBusy}
            onChange={({ currentTarget }) => {
              const [file] = currentTarget.files ?? [];
              // The same file may be chosen again.
              if (file) act("Imported.", () => put(file).finally(() => (currentTarget.value = "")));
            }}
          />
        </div>
        <button
          type="button"
          class="quiet"
          disabled={action.isBusy}
          onClick={() => act("Reset.", () => control("/reset", "POST"))}
        >
          Reset
        </button>
        <output aria-label="Done">{done}</output>
      </div>
    </Section>
  );
}
