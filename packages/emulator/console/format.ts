/** Units make a currency unit. */
const UNITS = 500_000;

/** The time of day, to the millisecond. */
export function timeOf(ms: number): string {
  return new Date(ms).toISOString().slice(11, 23);
}

/** A date and the time of day. */
export function dateOf(ms: number): string {
  return new Date(ms).toISOString().replace("T", " ").slice(0, 19);
}

export function duration(ms: number): string {
  if (ms < 1_000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  return ms < 60_000
    ? `${(ms / 1_000).toFixed(2)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}

export function bytes(count: number): string {
  if (count < 1_000) return `${count} B`;
  return count < 1e6 ? `${(count / 1_000).toFixed(1)} kB` : `${(count / 1e6).toFixed(2)} MB`;
}

/** Units of the ledger, in the currency. */
export function money(units: number): string {
  return (units / UNITS).toFixed(units !== 0 && Math.abs(units) < UNITS / 100 ? 6 : 4);
}

/** A key as it may be looked at. */
export function masked(key: string): string {
  return key.length >= 12 ? `sk-…${key.slice(-4)}` : "sk-…";
}

/** JSON with line breaks, or the text as it is. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
