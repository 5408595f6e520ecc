import type { JSONObject, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { PROVIDER_KEY } from "./model-gateway-config.js";

/** How a route sent a piece of reasoning, which is how it wants it back; a field of its own needs no word. */
export type ReasoningForm = { thinkTags: true } | { thinking: "text" | "parts" };

interface OpenBlock {
  type: "text" | "reasoning";
  id: string;
  /** What must come back with this reasoning for the model to go on. */
  metadata: JSONObject;
}

/** Writes text and reasoning as blocks: one is open at a time, each is closed once. */
export class ContentBlocks {
  private open: OpenBlock | undefined;
  private count = 0;

  constructor(private readonly emit: (part: LanguageModelV4StreamPart) => void) {}

  text(delta: string): void {
    const { id } = this.enter("text");
    this.emit({ type: "text-delta", id, delta });
  }

  reasoning(delta: string, form?: ReasoningForm, fields?: JSONObject): void {
    const { id, metadata } = this.enter("reasoning");
    Object.assign(metadata, form, fields);
    if (delta !== "") this.emit({ type: "reasoning-delta", id, delta });
  }

  /** Reasoning that only the model can read; it wants it back all the same. */
  redactedReasoning(redacted: JSONObject): void {
    this.close();
    this.reasoning("", undefined, { redacted });
    this.close();
  }

  close(): void {
    if (this.open === undefined) return;
    const { type, id, metadata } = this.open;
    this.open = undefined;
    const known = Object.keys(metadata).length > 0;
    const carried = known ? { providerMetadata: { [PROVIDER_KEY]: metadata } } : {};
    this.emit({ type: type === "text" ? "text-end" : "reasoning-end", id, ...carried });
  }

  private enter(type: OpenBlock["type"]): OpenBlock {
    if (this.open?.type === type) return this.open;
    this.close();
    const id = `${type}-${this.count++}`;
    this.open = { type, id, metadata: {} };
    this.emit({ type: type === "text" ? "text-start" : "reasoning-start", id });
    return this.open;
  }
}
