/** Nothing came of an answer for so long that it was given up. */
export class UpstreamIdle extends Error {
  override readonly name = "UpstreamIdle";

  constructor(ms: number) {
    super(`Nothing came for ${ms} ms.`);
  }
}
