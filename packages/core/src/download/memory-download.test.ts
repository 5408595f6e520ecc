import { describe, expect, it } from "vitest";
import { createMemoryDownload, piecesOf } from "./memory-download.js";

const PIECES = [Uint8Array.of(1, 2, 3), Uint8Array.of(4)];

describe("createMemoryDownload", () => {
  it("is a download like any other: of a known length, with a body, and bytes", async () => {
    const download = createMemoryDownload(PIECES, "image/png");
    expect(Object.keys(download)).toEqual(["contentType", "contentLength", "body", "bytes"]);
    expect([download.contentType, download.contentLength]).toEqual(["image/png", 4]);
    expect(await download.bytes()).toEqual(Uint8Array.of(1, 2, 3, 4));
    const read: Uint8Array[] = [];
    for await (const piece of download.body as unknown as AsyncIterable<Uint8Array>) read.push(piece);
    expect(read).toEqual(PIECES);
  });

  it("gives what the reader may change, and shows the pieces to those who do not", async () => {
    const download = createMemoryDownload(PIECES, "image/png");
    const { value } = await download.body.getReader().read();
    value?.fill(9);
    (await download.bytes()).fill(9);
    expect(PIECES).toEqual([Uint8Array.of(1, 2, 3), Uint8Array.of(4)]);
    expect(piecesOf(download)).toBe(PIECES);
    expect(piecesOf({ ...download })).toBeUndefined();
  });
});
