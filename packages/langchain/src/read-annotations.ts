import type { ContentBlock } from "@langchain/core/messages";

/** Reads `message.annotations` of an answer: citations of addresses in LangChain's form, anything else as it came. */
export function readAnnotations(annotations: unknown): NonNullable<ContentBlock.Text["annotations"]> {
  if (!Array.isArray(annotations)) return [];
  return annotations.filter((entry) => typeof entry?.type === "string").map(readAnnotation);
}

function readAnnotation(annotation: { type: string; url_citation?: unknown }): ContentBlock {
  if (annotation.type !== "url_citation") return annotation;
  const {
    url,
    title,
    content,
    start_index: startIndex,
    end_index: endIndex,
  } = (annotation.url_citation ?? annotation) as Record<string, unknown>;
  const citation = { url, title, citedText: content, startIndex, endIndex };
  return {
    type: "citation",
    ...Object.fromEntries(Object.entries(citation).filter(([, value]) => value !== undefined)),
  };
}
