import type { JSONObject, LanguageModelV4StreamPart, LanguageModelV4ToolCall } from "@ai-sdk/provider";
import { generateId } from "@ai-sdk/provider-utils";
import type { ToolCallReading } from "@model-gateway/core";
import { parseToolArguments, ToolCallReader } from "@model-gateway/core/chat";
import { namelessToolCallError } from "./map-error.js";
import { PROVIDER_KEY } from "./model-gateway-config.js";

/** Writes the tool calls of one answer as parts: input while it comes, calls when the answer is whole. */
export class ToolCallParts {
  /** The calls that did not come to their end, and are therefore not handed out. */
  readonly cut: JSONObject[] = [];
  private readonly reader = new ToolCallReader();
  private readonly ids = new Map<ToolCallReading, string>();
  private readonly usedIds = new Set<string>();

  constructor(private readonly emit: (part: LanguageModelV4StreamPart) => void) {}

  /** A fragment of a streamed call. */
  add(fragment: unknown): void {
    const { call, arguments: delta } = this.reader.add(fragment);
    if (call.name === undefined) return;
    const id = this.ids.get(call);
    if (id === undefined) this.start(call, call.name);
    else if (delta !== "") this.emit({ type: "tool-input-delta", id, delta });
  }

  /**
   * The answer is whole.
   *
   * @param whole calls that came in one piece, of an answer that is not streamed
   * @param mayBeCut whether the answer stopped for a reason that can cut a call in two: then only calls whose arguments
   *   are a whole JSON object are handed out; otherwise the SDK judges them, and may have them repaired
   * @param carried fields of the message that must come back to the model with its calls
   * @returns whether a call was handed out
   */
  finish(
    whole: readonly ToolCallReading[],
    { mayBeCut, carried }: { mayBeCut: boolean; carried: JSONObject },
  ): boolean {
    let handedOut = false;
    for (const call of [...this.reader.calls, ...whole]) {
      if (call.name === undefined) {
        this.emit({ type: "error", error: namelessToolCallError(call) });
        continue;
      }
      const id = this.ids.get(call) ?? this.start(call, call.name);
      this.emit({ type: "tool-input-end", id });
      if (mayBeCut && isCut(call)) {
        this.keepCut(call);
        continue;
      }
      const metadata = { ...(call.extra as JSONObject), ...(handedOut ? {} : carried) };
      this.emit(toolCallPart(id, call.name, call.arguments, metadata));
      handedOut = true;
    }
    return handedOut;
  }

  /** The answer broke off: nothing of it is handed out. */
  abandon(): void {
    for (const call of this.reader.calls) this.keepCut(call);
  }

  private keepCut(call: ToolCallReading): void {
    const { name, arguments: input } = call;
    this.cut.push({ id: this.ids.get(call) ?? call.id ?? null, name: name ?? null, arguments: input });
  }

  private start(call: ToolCallReading, toolName: string): string {
    // Ids must differ for the SDK, also where a route repeats one or sends none.
    const id = call.id === undefined || this.usedIds.has(call.id) ? generateId() : call.id;
    this.ids.set(call, id);
    this.usedIds.add(id);
    this.emit({ type: "tool-input-start", id, toolName });
    if (call.arguments !== "") this.emit({ type: "tool-input-delta", id, delta: call.arguments });
    return id;
  }
}

/** The SDK reads empty arguments as `{}` and would run a call that was cut off before its first argument. */
function isCut({ arguments: text }: ToolCallReading): boolean {
  return text.trim() === "" || parseToolArguments(text) === undefined;
}

/** What a route adds to a call, such as a thought signature, comes back to it with the history. */
function toolCallPart(
  toolCallId: string,
  toolName: string,
  input: string,
  metadata: JSONObject,
): LanguageModelV4ToolCall {
  const carried = Object.keys(metadata).length > 0 ? { providerMetadata: { [PROVIDER_KEY]: metadata } } : {};
  return { type: "tool-call", toolCallId, toolName, input, ...carried };
}
