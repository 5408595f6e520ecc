import type { LedgerEntry, LedgerTotal } from "../src/state/ledger.js";
import { control, list } from "./api.js";
import { money, timeOf } from "./format.js";
import { Empty, Problem, Section, Table } from "./parts.js";
import { useData } from "./use-data.js";

const SHOWN = 500;

/** What was paid for, and the sums of it. */
export function Ledger() {
  const { data, error } = useData(async () => ({
    entries: await list<LedgerEntry>("/ledger"),
    total: await control<LedgerTotal>("/ledger/total"),
  }));
  const entries = data?.entries ?? [];
  return (
    <>
      <Section title="Spent" aside={data && <output aria-label="In all">{money(data.total.units)}</output>}>
        <Problem text={error} />
        {data && entries.length === 0 && <Empty>Nothing was paid for yet.</Empty>}
        <div class="columns">
          <Sums title="By model" of={(entry) => entry.model} entries={entries} />
          <Sums title="By key" of={(entry) => entry.key} entries={entries} />
        </div>
      </Section>
      <Section title="Charges and refunds">
        <Table
          label="Charges and refunds"
          head={["Time", "Kind", "Model", "Key", "Counted", "Units", "Amount", "Call"]}
        >
          {[...entries]
            .reverse()
            .slice(0, SHOWN)
            .map((entry) => (
              <tr key={entry.id}>
                <td>{timeOf(entry.time)}</td>
                <td>{entry.kind}</td>
                <td>{entry.model}</td>
                <td>{entry.key}</td>
                <td class="dim">
                  {Object.entries(entry.counted)
                    .map(([name, count]) => `${name} ${count}`)
                    .join(", ")}
                </td>
                <td class="number">{entry.units}</td>
                <td class="number">{money(entry.units)}</td>
                <td>
                  <a href={`#/calls/${entry.requestId}`}>{entry.endpoint}</a>
                </td>
              </tr>
            ))}
        </Table>
      </Section>
    </>
  );
}

function Sums({
  title,
  of,
  entries,
}: {
  title: string;
  of: (entry: LedgerEntry) => string;
  entries: LedgerEntry[];
}) {
  const sums = new Map<string, number>();
  for (const entry of entries) sums.set(of(entry), (sums.get(of(entry)) ?? 0) + entry.units);
  if (sums.size === 0) return null;
  return (
    <Table label={title} head={[title, "Units", "Amount"]}>
      {[...sums]
        .sort((left, right) => right[1] - left[1])
        .map(([name, units]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="number">{units}</td>
            <td class="number">{money(units)}</td>
          </tr>
        ))}
    </Table>
  );
}
