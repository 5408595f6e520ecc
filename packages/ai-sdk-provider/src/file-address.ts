import type { Experimental_VideoModelV4File, ImageModelV4File } from "@ai-sdk/provider";
import { convertToBase64 } from "@ai-sdk/provider-utils";

/** The URL of a file, or a data URL of its bytes. */
export function fileAddress(file: ImageModelV4File | Experimental_VideoModelV4File): string {
  return file.type === "url" ? file.url : `data:${file.mediaType};base64,${convertToBase64(file.data)}`;
}
