import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";

/**
 * Holds the parts of a stream against the grammar that the SDK's language model contract sets (V4): `stream-start`
 * first, at most one `response-metadata`, blocks opened before their deltas and closed once, a tool call after the
 * end of its input, `finish` last and once. Returns what is wrong.
 */
export function grammarProblems(parts: readonly LanguageModelV4StreamPart[]): string[] {
  const problems: string[] = [];
  const open = new Map<string, string>();
  const closed = new Set<string>();
  const inputs = new Map<string, string>();
  const complain = (index: number, what: string) =>
    problems.push(`part ${index} (${parts[index]?.type}): ${what}`);

  parts.forEach((part, index) => {
    if ((part.type === "stream-start") !== (index === 0))
      complain(index, "stream-start must be first, and once");
    if (part.type === "finish" && index !== parts.length - 1) complain(index, "nothing may follow");
    const block = /^(text|reasoning|tool-input)-(start|delta|end)$/.exec(part.type);
    if (block !== null && "id" in part) {
      const [, kind = "", step] = block;
      const key = `${kind} ${part.id}`;
      if (step === "start") {
        if (open.has(key) || closed.has(key)) complain(index, `${key} is opened twice`);
        if (kind !== "tool-input" && [...open.values()].some((other) => other !== "tool-input")) {
          complain(index, "another block is still open");
        }
        open.set(key, kind);
      } else if (!open.has(key)) complain(index, `${key} is not open`);
      if (step === "end") {
        open.delete(key);
        closed.add(key);
      }
    }
    if (part.type === "tool-input-delta") inputs.set(part.id, (inputs.get(part.id) ?? "") + part.delta);
    if (part.type === "tool-call" && part.input !== (inputs.get(part.toolCallId) ?? "")) {
      complain(index, "its input is not what was streamed");
    }
    if (part.type === "tool-call" && !closed.has(`tool-input ${part.toolCallId}`)) {
      complain(index, "its input has not ended");
    }
  });
  if (parts.filter(({ type }) => type === "response-metadata").length > 1)
    problems.push("two response-metadata parts");
  if (parts.at(-1)?.type !== "finish") problems.push("finish is missing");
  const failed = parts.some(({ type }) => type === "error");
  for (const key of open.keys())
    if (!(failed && key.startsWith("tool-input"))) problems.push(`${key} is never closed`);
  return problems;
}
