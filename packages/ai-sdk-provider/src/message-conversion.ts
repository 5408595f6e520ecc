import type { SharedV4Warning } from "@ai-sdk/provider";

/** How a prompt is put on the wire. */
export interface MessageConversion {
  /** Send the reasoning of the tool loop that is under way back to the model. */
  sendReasoning: boolean;
  /** How files go out that the API does not have parts for; undefined refuses them. */
  fileParts: "openai" | undefined;
  warnings: SharedV4Warning[];
}
