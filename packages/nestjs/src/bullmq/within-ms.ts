import { firstValueFrom, from, of, timeout } from "rxjs";

/** Waits for something that may hang; undefined when it did. */
export function withinMs<T>(milliseconds: number, waitedFor: Promise<T>): Promise<T | undefined> {
  const none: T | undefined = undefined;
  return firstValueFrom(from(waitedFor).pipe(timeout({ first: milliseconds, with: () => of(none) })));
}
