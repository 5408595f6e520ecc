import { isDeepStrictEqual } from "node:util";
import { InvalidRequestError } from "@model-gateway/core";
import type { VideoTaskIntent } from "./video-task-record.js";

const MAX_TENANT_LENGTH = 256;
const MAX_METADATA_BYTES = 4_096;

/** What an application knows a submission by, beside its key. */
export type SubmissionLabel = Pick<VideoTaskIntent, "tenant" | "metadata">;

/**
 * A copy of what is to be written down of it.
 *
 * @throws InvalidRequestError that names the field; nothing was sent
 */
export function checkSubmissionLabel({ tenant, metadata }: SubmissionLabel): SubmissionLabel {
  if (
    tenant !== undefined &&
    !(typeof tenant === "string" && tenant !== "" && tenant.length <= MAX_TENANT_LENGTH)
  )
    throw refused("tenant", `must be a string of 1 to ${MAX_TENANT_LENGTH} characters`, tenant);
  if (metadata === undefined) return tenant === undefined ? {} : { tenant };
  const text = textOf(metadata);
  if (text === undefined || Array.isArray(metadata) || typeof metadata !== "object" || metadata === null)
    throw refused("metadata", "must be an object of plain JSON, which comes back as it was", metadata);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_METADATA_BYTES)
    throw refused(
      "metadata",
      `must have at most ${MAX_METADATA_BYTES} bytes as JSON, and not ${bytes}`,
      bytes,
    );
  return { ...(tenant !== undefined && { tenant }), metadata: JSON.parse(text) };
}

/** JSON that says the same; undefined when there is none. */
function textOf(value: unknown): string | undefined {
  try {
    const text = JSON.stringify(value);
    return isDeepStrictEqual(JSON.parse(text), value) ? text : undefined;
  } catch {
    return undefined;
  }
}

function refused(field: string, message: string, value: unknown): InvalidRequestError {
  return new InvalidRequestError([{ field, message, value }]);
}
