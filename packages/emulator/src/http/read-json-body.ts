import { APIError } from "./api-error.js";

/**
 * The parsed body of a JSON request.
 *
 * @param emptyAsObject takes an empty body for an empty object
 * @param onText told what came, whatever it is
 * @throws APIError 400 when it is no JSON
 */
export async function readJSONBody(
  request: Request,
  {
    emptyAsObject = false,
    onText,
  }: { emptyAsObject?: boolean; onText?: ((text: string) => void) | undefined } = {},
): Promise<unknown> {
  const contentType = request.headers.get("content-type") ?? "";
  if (/^\s*(multipart\/form-data|application\/x-www-form-urlencoded)/i.test(contentType)) {
    throw APIError.badRequest(
      `This endpoint takes a JSON body, not ${contentType.split(";")[0]?.trim()}. Send content-type: application/json.`,
      "invalid_content_type",
    );
  }
  const text = await request.text();
  onText?.(text);
  if (text.trim() === "") {
    if (emptyAsObject) return {};
    throw APIError.badRequest("The request body is empty; it must be a JSON object.", "invalid_json");
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw APIError.badRequest(`The request body is not valid JSON: ${reason}.`, "invalid_json");
  }
}
