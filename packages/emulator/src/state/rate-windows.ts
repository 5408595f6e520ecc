import { APIError } from "../http/api-error.js";
import { type EmulatorKey, maskKey } from "./key-store.js";

/** The requests that each key with a rate limit made within its sliding window. */
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
    // A clock that was set back has made nothing yet of what is ahead of it.
    const recent = (this.requests.get(key) ?? []).filter(
      (time) => time <= now && time > now - rateLimit.windowMs,
    );
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

  reset(): void {
    this.requests.clear();
  }
}
