import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { generateId } from "@ai-sdk/provider-utils";

/** Writes the pages that an answer cites (`annotations` of type `url_citation`) as sources, each address once. */
export class CitedSources {
  private readonly seen = new Set<string>();

  constructor(private readonly emit: (part: LanguageModelV4StreamPart) => void) {}

  add(annotations: unknown): void {
    if (!Array.isArray(annotations)) return;
    for (const annotation of annotations as unknown[]) {
      const { type, url_citation: nested } = (annotation ?? {}) as Record<string, unknown>;
      if (type !== "url_citation") continue;
      // The format nests the page, some routes do not.
      const { url, title } = (nested ?? annotation) as { url?: unknown; title?: unknown };
      if (typeof url !== "string" || url === "" || this.seen.has(url)) continue;
      this.seen.add(url);
      const named = typeof title === "string" && title !== "" ? { title } : {};
      this.emit({ type: "source", sourceType: "url", id: generateId(), url, ...named });
    }
  }
}
