import type { Emulator } from "./emulator.js";
import type { JournalEntry, JournalFilter } from "./state/journal.js";

/** A call that a test expects: all that is given must hold. */
export interface ExpectedCall extends Omit<JournalFilter, "key"> {
  /** What the body holds somewhere, as a string (of any case) or a pattern. */
  text?: string | RegExp;
  /** Members that the body has, compared as JSON; those that are objects only by the members given. */
  body?: object;
}

/**
 * Compares what was asked of an emulator with what a test expects, in order and whole.
 *
 * @example
 * ```ts
 * expectCalls(emulator, [
 *   { path: "/chat/completions", text: "refund" },
 *   { path: "/images/generations", model: "local-image", body: { size: "2K" } },
 * ]);
 * ```
 * @param filter which calls count. Default: all
 * @throws Error that lists both, and says of each call that differs how
 */
export function expectCalls(
  emulator: Pick<Emulator, "journal">,
  expected: readonly ExpectedCall[],
  filter?: JournalFilter,
): void {
  const calls = emulator.journal.list(filter);
  const lines: string[] = [];
  let isEqual = calls.length === expected.length;
  for (let index = 0; index < Math.max(calls.length, expected.length); index++) {
    const [call, wanted] = [calls[index], expected[index]];
    const problem =
      call && wanted
        ? difference(call, sentBy(emulator, call), wanted)
        : call
          ? "nobody expected it"
          : "it was not made";
    isEqual &&= problem === undefined;
    const shown = call ? `${call.method} ${call.path} ${call.model ?? ""}`.trim() : JSON.stringify(wanted);
    lines.push(
      `${problem === undefined ? "  ✓" : "  ✗"} ${index + 1}. ${shown}${problem === undefined ? "" : `: ${problem}`}`,
    );
  }
  if (isEqual) return;
  throw new Error(`The calls are not those that were expected:\n${lines.join("\n")}`);
}

/** The body whole, where that is kept: what stands in the list is cut. */
function sentBy({ journal }: Pick<Emulator, "journal">, { id, body }: JournalEntry): unknown {
  const text = journal.get(id)?.request.text;
  try {
    return text === undefined ? body : JSON.parse(text);
  } catch {
    return body;
  }
}

function difference(
  call: JournalEntry,
  sent: unknown,
  { text, body, ...rest }: ExpectedCall,
): string | undefined {
  for (const [name, wanted] of Object.entries(rest)) {
    const value = call[name as keyof JournalEntry];
    if (wanted !== undefined && value !== wanted) return `${name} is ${value}, not ${wanted}`;
  }
  const written = JSON.stringify(sent) ?? "";
  if (
    typeof text === "string" &&
    !written.toLowerCase().includes(JSON.stringify(text).slice(1, -1).toLowerCase())
  ) {
    return `its body does not hold ${JSON.stringify(text)}`;
  }
  if (text instanceof RegExp && written.search(text) < 0) return `its body does not match ${text}`;
  return body === undefined ? undefined : missing(sent, body, "body");
}

/** The first member that is not as it is wanted. */
function missing(value: unknown, wanted: unknown, path: string): string | undefined {
  if (typeof wanted !== "object" || wanted === null || Array.isArray(wanted)) {
    const [is, should] = [JSON.stringify(value), JSON.stringify(wanted)];
    return is === should ? undefined : `${path} is ${is ?? "not there"}, not ${should}`;
  }
  for (const [name, member] of Object.entries(wanted)) {
    const own: unknown =
      typeof value === "object" && value !== null ? value[name as keyof typeof value] : undefined;
    const problem = missing(own, member, `${path}.${name}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
