import { useState } from "preact/hooks";
import type { ActiveFault, FaultKind } from "../src/state/fault-store.js";
import { control, list } from "./api.js";
import { Empty, Input, Problem, Section, Select, Table } from "./parts.js";
import { useAction, useData } from "./use-data.js";

/** What each kind does, for those who choose one. */
const KINDS: Record<FaultKind, string> = {
  status: "answers an error",
  delay: "answers later",
  "slow-stream": "waits before each piece",
  "cut-stream": "ends in the middle",
  "malformed-json": "breaks the JSON",
  html: "answers a page",
  "drop-before": "resets, nothing done",
  "drop-after": "resets, all done",
};

/** Faults in force, and a form for another. */
export function Faults() {
  const { data, error, reload } = useData(() => list<ActiveFault>("/faults"));
  const action = useAction();
  const lift = (id: string) => action.run(() => control(`/faults/${id}`, "DELETE").then(reload));
  return (
    <Section title="Faults">
      <Problem text={error ?? action.error} />
      {data?.length === 0 && <Empty>No fault is in force.</Empty>}
      {data !== undefined && data.length > 0 && (
        <Table label="Faults in force" head={["Fault", "Kind", "Hits", "Left", "Actions"]}>
          {data.map((fault) => (
            <tr key={fault.id}>
              <th scope="row">{fault.id}</th>
              <td>
                {fault.kind} {fault.status ?? ""} {fault.delayMs === undefined ? "" : `${fault.delayMs} ms`}
              </td>
              <td>
                {[fault.path, fault.model, fault.key].filter((part) => part !== undefined).join(", ") ||
                  "all"}
              </td>
              <td>{fault.left ?? "for good"}</td>
              <td>
                <button
                  type="button"
                  class="quiet"
                  disabled={action.isBusy}
                  onClick={() => void lift(fault.id)}
                >
                  Lift
                </button>
              </td>
            </tr>
          ))}
        </Table>
      )}
      <NewFault onChange={reload} />
    </Section>
  );
}

function NewFault({ onChange }: { onChange: () => Promise<void> }) {
  const [kind, setKind] = useState<string>("status");
  const [path, setPath] = useState("");
  const [model, setModel] = useState("");
  const [times, setTimes] = useState("1");
  const [status, setStatus] = useState("503");
  const [delayMs, setDelay] = useState("1000");
  const { error, isBusy, run } = useAction();
  const hasStatus = kind === "status" || kind === "html";
  const hasDelay = kind === "delay" || kind === "slow-stream";
  const add = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      await control("/faults", "POST", {
        kind,
        ...(path !== "" && { path }),
        ...(model !== "" && { model }),
        ...(times !== "" && { times: Number(times) }),
        ...(hasStatus && { status: Number(status) }),
        ...(hasDelay && { delayMs: Number(delayMs) }),
      });
      await onChange();
    });
  };
  return (
    <form class="bar" aria-label="New fault" onSubmit={add}>
      <Select
        label="Kind"
        value={kind}
        options={Object.entries(KINDS).map(([name, text]): [string, string] => [name, `${name}: ${text}`])}
        onValue={setKind}
      />
      {hasStatus && <Input label="Status" value={status} onValue={setStatus} inputMode="numeric" />}
      {hasDelay && <Input label="Milliseconds" value={delayMs} onValue={setDelay} inputMode="numeric" />}
      <Input label="Path" value={path} onValue={setPath} placeholder="/chat/completions, /images/*" />
      <Input label="Model" value={model} onValue={setModel} placeholder="any" />
      <Input label="Times" value={times} onValue={setTimes} inputMode="numeric" placeholder="for good" />
      <button type="submit" disabled={isBusy}>
        Add
      </button>
      <Problem text={error} />
    </form>
  );
}
