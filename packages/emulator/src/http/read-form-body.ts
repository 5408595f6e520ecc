import { APIError } from "./api-error.js";

/** The fields of a form: text, a file, or several of either under one name. */
export type FormBody = Record<string, string | File | (string | File)[]>;

/** Whether a body says that it is a form. */
export function isForm(request: Request): boolean {
  return mediaTypeOf(request) === "multipart/form-data";
}

/** The fields of a `multipart/form-data` body by name. @throws APIError 400 when it is none */
export async function readFormBody(request: Request): Promise<FormBody> {
  if (!isForm(request)) {
    throw APIError.badRequest(
      `This endpoint takes a multipart/form-data body (got content type ${mediaTypeOf(request)}).`,
      "invalid_content_type",
    );
  }
  const form = await request.formData().catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw APIError.badRequest(`The request body is no valid multipart/form-data: ${reason}.`, "invalid_form");
  });
  const fields = new Map<string, (string | File)[]>();
  for (const [name, value] of form) fields.set(name, [...(fields.get(name) ?? []), value]);
  return Object.fromEntries(
    [...fields].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? "") : values]),
  );
}

function mediaTypeOf(request: Request): string {
  return request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "none";
}
