import { computed, signal } from "@preact/signals";
import type { JournalEntry } from "../src/state/journal.js";
import { events, list } from "./api.js";

/** More rows than a person looks through, and than a page draws at once. */
const MOST_SHOWN = 1_000;

const entries = signal<ReadonlyMap<string, JournalEntry>>(new Map());

/** Whether what happens arrives. */
export const isConnected = signal(false);
/** Grows with each call that ends: what shows what calls did reads it anew. */
export const ended = signal(0);
/** The newest first. */
export const calls = computed(() => [...entries.value.values()].reverse());

/** Reads the journal, and from then on what happens to it. */
export function follow(): void {
  let waiting = new Map<string, JournalEntry>();
  let isScheduled = false;
  /** What came after the list was asked for, which cannot know of it. */
  let since: Map<string, JournalEntry> | undefined;
  const show = () => {
    isScheduled = false;
    const merged = new Map([...entries.value, ...waiting]);
    for (const oldest of merged.keys()) {
      if (merged.size <= MOST_SHOWN) break;
      merged.delete(oldest);
    }
    entries.value = merged;
    ended.value += [...waiting.values()].filter(({ complete }) => complete).length;
    waiting = new Map();
  };
  const readAll = async () => {
    const later = new Map<string, JournalEntry>();
    since = later;
    const all = await list<JournalEntry>("/journal");
    // Read anew, or cleared, meanwhile.
    if (since !== later) return;
    since = undefined;
    entries.value = new Map([...all.map((entry) => [entry.id, entry] as const), ...later].slice(-MOST_SHOWN));
    ended.value += 1;
  };
  const source = events();
  source.addEventListener("open", () => {
    isConnected.value = true;
    void readAll();
  });
  source.addEventListener("error", () => {
    isConnected.value = false;
  });
  source.addEventListener("entry", ({ data }: MessageEvent<string>) => {
    const entry = JSON.parse(data) as JournalEntry;
    waiting.set(entry.id, entry);
    since?.set(entry.id, entry);
    // Hundreds may come between two frames.
    if (!isScheduled) requestAnimationFrame(show);
    isScheduled = true;
  });
  source.addEventListener("cleared", () => {
    waiting = new Map();
    since = undefined;
    entries.value = new Map();
    ended.value += 1;
  });
  source.addEventListener("skipped", () => void readAll());
}
