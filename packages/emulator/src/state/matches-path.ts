/** Whether a path is the one that is meant; a trailing `*` of the pattern matches any rest. */
export function matchesPath(pattern: string, path: string): boolean {
  return pattern.endsWith("*") ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
}
