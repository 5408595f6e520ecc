/** `X-Amz-Expires`, `X-Goog-Expires`, `x-tos-expires` and the like: seconds after the date of the signature. */
const LIFETIME = /^(x-\w+-)expires$/;
const BASIC_DATE = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
/** Parameters that hold a time in seconds, or milliseconds, since the epoch. */
const TIMES: ReadonlySet<string> = new Set(["expires", "expire", "expiry", "exp", "e"]);
/** From 2001 on, in seconds and in milliseconds: other numbers are no times. */
const FIRST_SECONDS = 1e9;
const FIRST_MS = 1e12;
const LAST_MS = 1e13;

/** When an address stops working, in milliseconds since the epoch, if its signature tells; the earliest of several times. */
export function addressExpiry(address: string): number | undefined {
  if (!URL.canParse(address)) return undefined;
  const parameters = new Map(
    [...new URL(address).searchParams].map(([name, value]) => [name.toLowerCase(), value]),
  );
  const times = [...parameters].map(([name, value]) => {
    const [, prefix] = LIFETIME.exec(name) ?? [];
    if (prefix !== undefined) return basicTime(parameters.get(`${prefix}date`)) + Number(value) * 1_000;
    if (TIMES.has(name)) return epochTime(Number(value));
    // A shared access signature of Azure.
    return name === "se" && parameters.has("sig") ? Date.parse(value) : Number.NaN;
  });
  const known = times.filter((time) => Number.isFinite(time));
  return known.length === 0 ? undefined : Math.min(...known);
}

function basicTime(text = ""): number {
  return Date.parse(text.replace(BASIC_DATE, "$1-$2-$3T$4:$5:$6Z"));
}

function epochTime(number: number): number {
  if (number >= FIRST_MS) return number < LAST_MS ? number : Number.NaN;
  return number >= FIRST_SECONDS && number < LAST_MS / 1_000 ? number * 1_000 : Number.NaN;
}
