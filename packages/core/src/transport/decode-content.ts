import type { ResponseHeaders } from "./transport.js";

/** The part of Node's zlib streams that is used here. */
interface ZlibStream {
  write(chunk: Uint8Array): boolean;
  end(): void;
  destroy(): void;
  pause(): void;
  resume(): void;
  pipe(next: ZlibStream): ZlibStream;
  on(event: "data", listener: (chunk: Uint8Array) => void): void;
  on(event: "end" | "drain", listener: () => void): void;
  on(event: "error", listener: (error: unknown) => void): void;
}

type Zlib = Record<string, (() => ZlibStream) | undefined>;

/** What decoded bytes go to. */
export interface DecodedSink {
  /** @returns false to ask for a pause */
  data(chunk: Uint8Array): boolean;
  end(): void;
  failed(error: unknown): void;
  /** Encoded bytes are wanted again after `write` returned false. */
  drain(): void;
}

/** Turns the bytes of a compressed answer back into what they stand for. */
export interface ContentDecoder {
  /** @returns false to ask for a pause until `drain` */
  write(chunk: Uint8Array): boolean;
  end(): void;
  resume(): void;
  destroy(): void;
}

const DECODERS: Record<string, string> = {
  gzip: "createGunzip",
  "x-gzip": "createGunzip",
  deflate: "createInflate",
  br: "createBrotliDecompress",
  zstd: "createZstdDecompress",
};

/** The encodings of an answer in the order they were applied; `identity` is none. */
export function encodingsOf(headers: ResponseHeaders): string[] {
  const value = headers.get("content-encoding");
  if (value === undefined) return [];
  return value
    .toLowerCase()
    .split(",")
    .map((encoding) => encoding.trim())
    .filter((encoding) => encoding !== "" && encoding !== "identity");
}

/**
 * Decodes what a server compressed although it was told not to. What comes out counts against the caps of the call, so
 * a small answer that unfolds into a huge one is stopped like a huge one.
 *
 * @returns undefined when this Node cannot read one of the encodings
 */
export function createContentDecoder(
  encodings: readonly string[],
  sink: DecodedSink,
): ContentDecoder | undefined {
  const zlib = builtin("zlib") as Zlib | undefined;
  const streams = encodings.map((encoding) => zlib?.[DECODERS[encoding] ?? ""]?.()).reverse() as ZlibStream[];
  const [first] = streams;
  if (first === undefined || streams.includes(undefined as unknown as ZlibStream)) return undefined;
  const last = streams.reduce((from, to) => from.pipe(to));
  let destroyed = false;
  let written = false;
  const destroy = () => {
    destroyed = true;
    for (const stream of streams) stream.destroy();
  };
  for (const stream of streams) {
    stream.on("error", (error) => {
      if (destroyed) return;
      destroy();
      sink.failed(error);
    });
  }
  first.on("drain", () => sink.drain());
  last.on("data", (chunk) => {
    if (!destroyed && !sink.data(chunk)) last.pause();
  });
  last.on("end", () => {
    if (!destroyed) sink.end();
  });
  return {
    write(chunk) {
      written = true;
      return first.write(chunk);
    },
    end() {
      // Nothing is nothing, however it is encoded.
      if (written) first.end();
      else sink.end();
    },
    resume: () => last.resume(),
    destroy,
  };
}

/** Say something of the encoded bytes, which nobody gets to see. */
const OF_ENCODED = ["content-encoding", "content-length", "content-range", "etag", "last-modified"];

/** The headers of an answer as they would be without its encoding. */
export function decodedHeaders(headers: ResponseHeaders): ResponseHeaders {
  const dropped = new Set(OF_ENCODED);
  return {
    get: (name) => (dropped.has(name) ? undefined : headers.get(name)),
    toRecord: () => {
      const record = headers.toRecord();
      for (const name of dropped) delete record[name];
      return record;
    },
  };
}

/** A module of Node's own, without an import that other runtimes would stumble over. */
export function builtin(name: string): unknown {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } };
  return process?.getBuiltinModule?.(name);
}
