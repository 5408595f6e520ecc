import { isUnpaid } from "./is-unpaid.js";

/**
 * Makes a paid call once per options object. What repeats a call with the very same object (middleware that retries or
 * falls back, a step of a workflow that runs again) gets the first result, or the first error where the call may have
 * been paid. An error that says that nothing was paid lets the call be made again.
 */
export class PaidCalls {
  private readonly made = new WeakMap<object, Promise<unknown>>();

  /** @param mayRepeat makes every call anew, as the user asked for */
  constructor(private readonly mayRepeat: boolean) {}

  once<Result>(options: object, call: () => Promise<Result>): Promise<Result> {
    if (this.mayRepeat) return call();
    const known = this.made.get(options);
    // The same options made it, so it is of the same type.
    if (known !== undefined) return known as Promise<Result>;
    const making = call();
    this.made.set(options, making);
    making.catch((error: unknown) => {
      if (isUnpaid(error)) this.made.delete(options);
    });
    return making;
  }
}
