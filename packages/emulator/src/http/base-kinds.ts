/** The four base addresses, by the path each has on the emulator's one port. */
export const BASE_PATHS = {
  general: "/v1",
  cdn: "/cdn/v1",
  specialized: "/specialized/v1",
  specializedCdn: "/specialized-cdn/v1",
} as const;

export type BaseKind = keyof typeof BASE_PATHS;

export const BASE_KINDS = Object.keys(BASE_PATHS) as BaseKind[];

/** The base addresses that alone serve balance and some speech models. */
export const SPECIALIZED_BASES: readonly BaseKind[] = ["specialized", "specializedCdn"];

/**
 * A request path split into its base address and the path below it; `base` is null outside all four.
 *
 * @param other a base address beside the four
 */
export function splitBasePath(pathname: string, other?: string): { base: BaseKind | null; path: string } {
  if (other !== undefined && pathname.startsWith(`${other}/`)) {
    return { base: null, path: pathname.slice(other.length) };
  }
  for (const base of BASE_KINDS) {
    const prefix = BASE_PATHS[base];
    if (pathname.startsWith(`${prefix}/`)) return { base, path: pathname.slice(prefix.length) };
  }
  return { base: null, path: pathname };
}
