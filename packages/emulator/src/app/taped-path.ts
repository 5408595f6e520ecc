import { BASE_KINDS, BASE_PATHS, splitBasePath } from "../http/base-kinds.js";

/** The path of a request as an upstream has it: below one base address, or beside it. */
export function tapedPath({ pathname }: URL): string {
  const { base, path } = splitBasePath(pathname);
  if (base !== null) return BASE_PATHS.general + path;
  for (const kind of BASE_KINDS) {
    const prefix = BASE_PATHS[kind].replace(/v1$/, "");
    if (prefix !== "/" && pathname.startsWith(prefix)) return pathname.slice(prefix.length - 1);
  }
  return pathname;
}
