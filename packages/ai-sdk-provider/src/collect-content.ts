import type { LanguageModelV4Content, LanguageModelV4StreamPart } from "@ai-sdk/provider";

/** The content of a whole answer from the parts of a streamed one, so that both are read by the same rules. */
export function collectContent(parts: readonly LanguageModelV4StreamPart[]): LanguageModelV4Content[] {
  const content: LanguageModelV4Content[] = [];
  let text = "";
  for (const part of parts) {
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        text = "";
        break;
      case "text-delta":
      case "reasoning-delta":
        text += part.delta;
        break;
      case "text-end":
      case "reasoning-end": {
        const { providerMetadata } = part;
        const carried = providerMetadata === undefined ? {} : { providerMetadata };
        content.push({ type: part.type === "text-end" ? "text" : "reasoning", text, ...carried });
        break;
      }
      case "file":
      case "source":
      case "tool-call":
        content.push(part);
        break;
    }
  }
  return content;
}
