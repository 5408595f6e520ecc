/** @throws TypeError unless it is an http or https address without query, user or password */
export function requireOriginAndPath(option: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isUsable =
    url && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "" && url.username === "";
  if (!isUsable) {
    throw new TypeError(`${option} must be an address such as http://127.0.0.1:11434/v1 (got ${text}).`);
  }
  return url.href.replace(/\/+$/, "");
}
