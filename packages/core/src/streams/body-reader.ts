/** Reads the body of a whole answer while it arrives, where that is better than to keep it all. Made per attempt. */
export interface BodyReader {
  push(chunk: Uint8Array): void;
  /** The body as it came. */
  text(): string;
  /**
   * What `JSON.parse` makes of the text.
   * @param secret must be in nothing that is returned
   * @returns undefined where that is to be found out from the text
   */
  parse(secret: string): object | undefined;
}
