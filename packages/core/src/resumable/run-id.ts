const RANDOM_DIGITS = 16;

/** @param asked 1 to 16 hexadecimal digits that stand for what is asked */
export function createRunId(asked = ""): string {
  return crypto.randomUUID().replaceAll("-", "").slice(0, RANDOM_DIGITS) + asked;
}

/** What a call was asked, as it was said when it began. */
export function askedBy(run: string): string {
  return run.slice(RANDOM_DIGITS);
}
