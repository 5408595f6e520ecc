import { joinBytes } from "./join-bytes.js";

/** A part of a form: a text field, or a file. */
export type FormPart =
  | { name: string; value: string }
  | {
      name: string;
      data: Blob | Uint8Array | ReadableStream<Uint8Array>;
      filename: string;
      mediaType: string;
    };

/** A form, ready to be sent. */
export interface MultipartBody {
  contentType: string;
  /** Bytes and a `Blob` can be sent again; a stream only once. */
  body: Uint8Array | Blob | AsyncIterable<Uint8Array>;
  replayable: boolean;
  /** Lets go of the streams of a form that will not be sent, or not any further: files behind them can be closed. */
  release?: (reason: unknown) => void;
}

const LINE = "\r\n";

/**
 * Writes `multipart/form-data` (RFC 7578). Not the platform's `FormData`, which cannot hold a stream without
 * reading it into memory first.
 */
export function encodeMultipart(parts: readonly FormPart[]): MultipartBody {
  const boundary = `model-gateway-${crypto.randomUUID()}`;
  const encoder = new TextEncoder();
  const pieces: Array<Uint8Array<ArrayBuffer> | Blob | Uint8Array | ReadableStream<Uint8Array>> = [];
  for (const part of parts) {
    const disposition = `content-disposition: form-data; name="${escapeName(part.name)}"`;
    const head =
      "value" in part
        ? disposition
        : `${disposition}; filename="${escapeName(part.filename)}"${LINE}content-type: ${part.mediaType}`;
    pieces.push(encoder.encode(`--${boundary}${LINE}${head}${LINE}${LINE}`));
    pieces.push("value" in part ? encoder.encode(part.value) : part.data);
    pieces.push(encoder.encode(LINE));
  }
  pieces.push(encoder.encode(`--${boundary}--${LINE}`));
  const contentType = `multipart/form-data; boundary=${boundary}`;
  if (pieces.some((piece) => piece instanceof ReadableStream)) {
    return { contentType, replayable: false, ...flow(pieces) };
  }
  // One copy is what keeps it as it was; a `Blob` of bytes would be a second one when it is sent.
  const body = pieces.every(isBytes) ? joinBytes(pieces) : new Blob(pieces as BlobPart[]);
  return { contentType, replayable: true, body };
}

function isBytes(piece: unknown): piece is Uint8Array {
  return piece instanceof Uint8Array;
}

/** The pieces one after the other, and a way to let go of the streams among them. */
function flow(pieces: ReadonlyArray<Uint8Array | Blob | ReadableStream<Uint8Array>>) {
  let current: ReadableStreamDefaultReader<Uint8Array> | undefined;
  async function* read(): AsyncGenerator<Uint8Array, void, undefined> {
    for (const piece of pieces) {
      if (piece instanceof Uint8Array) {
        yield piece;
        continue;
      }
      current = (piece instanceof Blob ? piece.stream() : piece).getReader();
      for (let next = await current.read(); !next.done; next = await current.read()) yield next.value;
      current = undefined;
    }
  }
  const release = (reason: unknown) => {
    current?.cancel(reason).catch(() => {});
    for (const piece of pieces) {
      if (piece instanceof ReadableStream && !piece.locked) piece.cancel(reason).catch(() => {});
    }
  };
  return { body: read(), release };
}

/** As browsers do it (HTML, multipart form data). */
function escapeName(name: string): string {
  return name.replace(/\n/g, "%0A").replace(/\r/g, "%0D").replace(/"/g, "%22");
}
