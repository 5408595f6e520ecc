/** What comes of work that may hang for good. @throws Error when nothing has after `ms` milliseconds */
export function answerWithin<T>(ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`There was no answer for ${Math.round(ms)} ms.`)), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
