/** Where the callbacks of an instance come in, for the route and for the addresses that lead to it. */
export function callbackPath(path: string, instance: string): string {
  const trimmed = path.replace(/^\/+|\/+$/g, "");
  return [...(trimmed === "" ? [] : [trimmed]), encodeURIComponent(instance)].join("/");
}
