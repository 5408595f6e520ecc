import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Answer } from "../http/answer.js";
import { APIError } from "../http/api-error.js";

/** Where the build puts the console: beside the bundle. */
export const CONSOLE_FOLDER = fileURLToPath(new URL("./console/", import.meta.url));

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Model Gateway emulator</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="console.css" />
    <script type="module" src="console.js"></script>
  </head>
  <body></body>
</html>
`;
/** Its own files, and what the emulator made, is all that it loads; what clients sent stays text. */
const POLICY = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:"],
  ...["media-src 'self' data: blob:", "connect-src 'self'", "base-uri 'none'", "form-action 'none'"],
  ...["frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"],
].join("; ");
const HEADERS = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-cache",
};
const FILES: Record<string, string> = {
  "console.js": "text/javascript; charset=utf-8",
  "console.css": "text/css; charset=utf-8",
};

/**
 * The console or one of its files, by the path below `/_emulator/`; undefined for any other.
 *
 * @throws APIError 404 when it was not built, as in a checkout of the sources
 */
export async function consolePage(folder: string, path: string): Promise<Answer | undefined> {
  if (path === "")
    return new Answer(PAGE, { headers: { ...HEADERS, "content-type": "text/html; charset=utf-8" } });
  const type = Object.hasOwn(FILES, path) ? FILES[path] : undefined;
  if (type === undefined) return undefined;
  const content = await readFile(join(folder, path)).catch(() => undefined);
  if (content === undefined) {
    throw APIError.notFound("The console is built with the package, and this is a checkout: pnpm build.");
  }
  return new Answer(new Uint8Array(content), { headers: { ...HEADERS, "content-type": type } });
}
