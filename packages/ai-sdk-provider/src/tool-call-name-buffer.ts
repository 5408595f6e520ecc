import type { ToolCallDelta } from "@model-gateway/core";

/**
 * Holds back the fragments of a tool call until its name is known. Some routes send an empty name first and the
 * real one later; the SDK's tracker needs it with the first fragment.
 */
export class ToolCallNameBuffer {
  private readonly waiting = new Map<string, ToolCallDelta>();
  private readonly named = new Set<string>();
  private lastKey = "";

  /** @returns the fragment with everything that was held back before it, or undefined while the name is missing */
  take(fragment: ToolCallDelta): ToolCallDelta | undefined {
    const { index, id } = fragment;
    const key = typeof index === "number" ? `index ${index}` : id ? `id ${id}` : this.lastKey;
    this.lastKey = key;
    const hasName = Boolean(fragment.function?.name?.trim());
    const held = this.waiting.get(key);
    if (held === undefined && (hasName || this.named.has(key))) {
      this.named.add(key);
      return fragment;
    }
    const merged: ToolCallDelta = {
      index: index ?? held?.index,
      id: id || held?.id,
      type: "function",
      function: {
        name: fragment.function?.name,
        arguments: (held?.function?.arguments ?? "") + (fragment.function?.arguments ?? ""),
      },
    };
    if (!hasName) {
      this.waiting.set(key, merged);
      return undefined;
    }
    this.waiting.delete(key);
    this.named.add(key);
    return merged;
  }

  /** The calls whose name never came. */
  rest(): ToolCallDelta[] {
    return [...this.waiting.values()];
  }
}
