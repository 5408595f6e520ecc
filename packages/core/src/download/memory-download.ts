import { joinBytes } from "../transport/join-bytes.js";
import type { Download } from "./download.js";

/** Known by name: in CommonJS each entry of this package is a bundle of its own. */
const PIECES = Symbol.for("@model-gateway/core.pieces");

/** What is in memory already, as a download. The pieces stay as they are: whoever reads them is given copies. */
export function createMemoryDownload(pieces: readonly Uint8Array[], contentType: string): Download {
  const left = [...pieces];
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = left.shift();
        if (piece === undefined) controller.close();
        else controller.enqueue(piece.slice());
      },
    },
    { highWaterMark: 0 },
  );
  const contentLength = pieces.reduce((sum, { length }) => sum + length, 0);
  const download = { contentType, contentLength, body, bytes: async () => joinBytes(pieces) };
  Object.defineProperty(download, PIECES, { value: pieces });
  return download;
}

/** The pieces themselves, for those who only look at them; undefined for what is still on its way. */
export function piecesOf(download: Download): readonly Uint8Array[] | undefined {
  return (download as { [PIECES]?: readonly Uint8Array[] })[PIECES];
}
