/** `ENOENT` and the like; empty for anything that the system did not say. */
export function systemErrorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException | undefined)?.code ?? "";
}
