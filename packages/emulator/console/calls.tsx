import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { JournalEntry } from "../src/state/journal.js";
import { control } from "./api.js";
import { CallDetail } from "./call-detail.js";
import { duration, money, timeOf } from "./format.js";
import { calls } from "./live-calls.js";
import { Empty, Input, Section, Select, Status } from "./parts.js";

/** What the list is narrowed to; it stays while other pages are shown. */
const text = signal("");
const status = signal("all");
const key = signal("all");
const model = signal("all");

/** The live list of calls, and the one that is looked at. */
export function Calls({ selected }: { selected: string | undefined }) {
  const filter = useRef<HTMLElement>(null);
  const shown = calls.value.filter(isShown);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "/") {
        event.preventDefault();
        filter.current?.querySelector("input")?.focus();
      } else if (event.key === "Escape") location.hash = "#/calls";
      else if (event.key === "j" || event.key === "k") move(event.key === "j" ? 1 : -1);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return (
    <div class={selected === undefined ? "split" : "split has-detail"}>
      <Section
        title="Calls"
        aside={
          <button type="button" class="quiet" onClick={() => void control("/journal", "DELETE")}>
            Clear
          </button>
        }
      >
        <search class="filters" ref={filter}>
          <Input
            label="Text"
            value={text.value}
            onValue={(value) => (text.value = value)}
            placeholder="/ to search"
          />
          <Select
            label="Status"
            value={status.value}
            options={["all", "2xx", "4xx", "5xx", "dropped"]}
            onValue={(value) => (status.value = value)}
          />
          <Select
            label="Model"
            value={model.value}
            options={["all", ...namesOf("model")]}
            onValue={(value) => (model.value = value)}
          />
          <Select
            label="Key"
            value={key.value}
            options={["all", ...namesOf("key")]}
            onValue={(value) => (key.value = value)}
          />
        </search>
        {shown.length === 0 ? (
          <Empty>
            {calls.value.length === 0
              ? "No calls yet. Send one, or try the playground."
              : "No call is like that: widen the filters."}
          </Empty>
        ) : (
          <ol class="calls" aria-label="Calls, the newest first">
            {shown.map((entry) => (
              <Row key={entry.id} entry={entry} isSelected={entry.id === selected} />
            ))}
          </ol>
        )}
      </Section>
      {selected !== undefined && <CallDetail key={selected} id={selected} />}
    </div>
  );
}

function Row({ entry, isSelected }: { entry: JournalEntry; isSelected: boolean }) {
  return (
    <li>
      <a href={`#/calls/${entry.id}`} aria-current={isSelected ? "true" : undefined}>
        <Status status={entry.status} />
        <span class="what">
          <b>{entry.method}</b> {entry.path}
        </span>
        <span class="dim model">{entry.model ?? ""}</span>
        <span class="dim key">{entry.key ?? "no key"}</span>
        <span class="dim cost">{entry.units === undefined ? "" : money(entry.units)}</span>
        <span class="dim took">{entry.durationMs > 0 ? duration(entry.durationMs) : "…"}</span>
        <time class="dim">{timeOf(entry.time)}</time>
      </a>
    </li>
  );
}

function namesOf(member: "key" | "model"): string[] {
  return [...new Set(calls.value.flatMap((entry) => entry[member] ?? []))].sort();
}

function isShown(entry: JournalEntry): boolean {
  const wanted = text.value.trim().toLowerCase();
  const isOfStatus =
    status.value === "all" ||
    (status.value === "dropped"
      ? entry.status === null
      : String(entry.status).startsWith(status.value.charAt(0)));
  return (
    isOfStatus &&
    (model.value === "all" || entry.model === model.value) &&
    (key.value === "all" || entry.key === key.value) &&
    (wanted === "" || JSON.stringify(entry).toLowerCase().includes(wanted))
  );
}

/** As things are by now: keys may come faster than a page is drawn. */
function move(by: number): void {
  const shown = calls.value.filter(isShown);
  const at = shown.findIndex(({ id }) => location.hash === `#/calls/${id}`);
  const next = shown[at < 0 ? 0 : Math.min(shown.length - 1, Math.max(0, at + by))];
  if (next) location.hash = `#/calls/${next.id}`;
}
