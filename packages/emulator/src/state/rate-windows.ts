import { APIError } from "../http/api-error.js";
import { type EmulatorKey, maskKey } from "./key-store.js";

/** The requests that each key with a rate limit made within its sliding window. They are not kept: they are of seconds. */
export class RateWindows {
  private readonly requests = new Map<string, number[]>();
  private readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  /** Counts a request. @throws APIError 429, with the seconds until the window has room, when it is full */
  take({ key, rateLimit }: EmulatorKey): void {
    if (!rateLimit) return;
    const now = this.now();
    const recent = this.recentOf(key, rateLimit.windowMs, now);
    this.requests.set(key, recent);
    // Once this one has left the window, it has room again; a limit may have been lowered meanwhile.
    const leaving = recent[recent.length - rateLimit.requests];
    if (leaving !== undefined) {
      const seconds = Math.max(1, Math.ceil((leaving + rateLimit.windowMs - now) / 1_000));
      throw APIError.tooManyRequests(
        `The API key ${maskKey(key)} may make ${rateLimit.requests} requests in ${rateLimit.windowMs} ms. Try again in ${seconds} s.`,
        seconds,
      );
    }
    recent.push(now);
  }

  /** How many requests the key has left, as gateways of this wire format tell it. */
  headersOf({ key, rateLimit }: EmulatorKey): Record<string, string> {
    if (!rateLimit) return {};
    const now = this.now();
    const recent = this.recentOf(key, rateLimit.windowMs, now);
    const oldest = recent[0];
    const resetMs = oldest === undefined ? 0 : oldest + rateLimit.windowMs - now;
    return {
      "x-ratelimit-limit-requests": String(rateLimit.requests),
      "x-ratelimit-remaining-requests": String(Math.max(0, rateLimit.requests - recent.length)),
      "x-ratelimit-reset-requests": durationText(resetMs),
    };
  }

  private recentOf(key: string, windowMs: number, now: number): number[] {
    // A clock that was set back has made nothing yet of what is ahead of it.
    return (this.requests.get(key) ?? []).filter((time) => time <= now && time > now - windowMs);
  }
}

/** As in `120ms`, `6s`, `1m30s`. */
function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.ceil(ms)}ms`;
  const seconds = Math.ceil(ms / 1_000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
