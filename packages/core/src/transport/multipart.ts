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
  /** A `Blob` can be sent again; a stream only once. */
  body: Blob | AsyncIterable<Uint8Array>;
  replayable: boolean;
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
  const replayable = !pieces.some((piece) => piece instanceof ReadableStream);
  const body = replayable ? new Blob(pieces as BlobPart[]) : flow(pieces);
  return { contentType, body, replayable };
}

async function* flow(
  pieces: ReadonlyArray<Uint8Array | Blob | ReadableStream<Uint8Array>>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) {
      yield piece;
      continue;
    }
    const reader = (piece instanceof Blob ? piece.stream() : piece).getReader();
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
    } finally {
      reader.releaseLock();
    }
  }
}

/** As browsers do it (HTML, multipart form data). */
function escapeName(name: string): string {
  return name.replace(/\n/g, "%0A").replace(/\r/g, "%0D").replace(/"/g, "%22");
}
