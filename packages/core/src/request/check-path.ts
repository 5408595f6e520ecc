/** @returns what is wrong with a path below a base address, undefined when nothing is */
export function findPathProblem(path: unknown): string | undefined {
  if (typeof path !== "string" || !path.startsWith("/"))
    return "must be a path that starts with /, and no URL";
  if (path.startsWith("//")) return "must not start with //: that names another host";
  if (path.includes("?") || path.includes("#")) return "must not hold ? or #: give parameters in query";
  // Node's HTTP client refuses these; other runtimes would encode or drop them.
  if (!/^[\x21-\x7e]+$/.test(path) || path.includes("\\")) {
    return "must be encoded: no spaces, backslashes or letters outside ASCII";
  }
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return "holds a % that begins no encoded character";
  }
  // Decoded too: servers and proxies resolve encoded dots and slashes alike.
  const leaves = decoded.split(/[/\\]/).some((segment) => segment === "." || segment === "..");
  return leaves ? "must stay below the base address: no . or .. segments" : undefined;
}
