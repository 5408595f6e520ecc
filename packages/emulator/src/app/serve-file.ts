import type { Services } from "../api/services.js";
import type { Answer } from "../http/answer.js";
import { fileResponse } from "../media/file-response.js";

/** `GET /files/{owner}/{name}`: a result file behind a signed, expiring URL. No API key is asked for. */
export async function serveFile(
  { files }: Services,
  request: Request,
  url: URL,
  parameters: Record<string, string>,
): Promise<Answer> {
  const path = `${parameters["owner"] ?? ""}/${parameters["name"] ?? ""}`;
  files.verify(path, url.searchParams);
  return fileResponse(request, await files.read(path));
}
