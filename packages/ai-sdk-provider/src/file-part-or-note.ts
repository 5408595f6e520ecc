import { type SharedV4Warning, UnsupportedFunctionalityError } from "@ai-sdk/provider";
import type { ContentPart } from "@model-gateway/core";
import { convertFilePart, type PromptFile } from "./convert-file-part.js";

/**
 * A file of the history. One that cannot be sent must not end a conversation for good: it is left out with a warning, and
 * the model is told.
 */
export function filePartOrNote(
  file: PromptFile,
  { fileParts, warnings }: { fileParts: "openai" | undefined; warnings: SharedV4Warning[] },
): ContentPart {
  try {
    return convertFilePart(file, fileParts);
  } catch (error) {
    if (!UnsupportedFunctionalityError.isInstance(error)) throw error;
    const details = "It is left out, and a note stands in its place.";
    warnings.push({ type: "unsupported", feature: error.functionality, details });
    return { type: "text", text: `[A file of type ${file.mediaType} was left out.]` };
  }
}
