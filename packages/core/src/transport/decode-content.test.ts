import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createContentDecoder, type DecodedSink, decodedHeaders, encodingsOf } from "./decode-content.js";
import type { ResponseHeaders } from "./transport.js";

const TEXT = "Hello, hello, hello. ".repeat(20);

afterEach(() => {
  vi.unstubAllGlobals();
});

function headersOf(record: Record<string, string>): ResponseHeaders {
  return { get: (name) => record[name], toRecord: () => ({ ...record }) };
}

/** A sink that notes what it is told, and the end as a promise. */
function sinkThat(takes: () => boolean = () => true) {
  const seen: string[] = [];
  const chunks: Uint8Array[] = [];
  let over: () => void = () => {};
  const settled = new Promise<void>((resolve) => {
    over = resolve;
  });
  const sink: DecodedSink = {
    data(chunk) {
      chunks.push(chunk);
      return takes();
    },
    end() {
      seen.push("end");
      over();
    },
    failed(error) {
      seen.push(`failed ${(error as { code?: string }).code}`);
      over();
    },
    drain() {
      seen.push("drain");
    },
  };
  return { sink, seen, chunks, settled, text: () => Buffer.concat(chunks).toString() };
}

function decoderOf(encodings: string[], sink: DecodedSink) {
  const decoder = createContentDecoder(encodings, sink);
  if (decoder === undefined) throw new Error(`No decoder for ${encodings}.`);
  return decoder;
}

/** Resolves when other bytes have gone all their way: whatever was under way before is over. */
async function afterOthers(): Promise<void> {
  const { sink, settled } = sinkThat();
  const decoder = decoderOf(["gzip", "br"], sink);
  decoder.write(brotliCompressSync(gzipSync(TEXT)));
  decoder.end();
  await settled;
}

/** Replaces Node's decoders by some that do nothing, and gives what they are told to call. */
function stubZlib(names: string[]): Map<string, Record<string, (value?: unknown) => void>> {
  const made = new Map<string, Record<string, (value?: unknown) => void>>();
  const create = (name: string) => () => {
    const listeners: Record<string, (value?: unknown) => void> = {};
    made.set(name, listeners);
    const on = (event: string, listener: () => void) => {
      listeners[event] = listener;
    };
    return { on, pipe: (next: unknown) => next, destroy() {} };
  };
  const zlib = Object.fromEntries(names.map((name) => [name, create(name)]));
  vi.stubGlobal("process", {
    ...process,
    getBuiltinModule: (name: string) => (name === "zlib" ? zlib : undefined),
  });
  return made;
}

describe("encodingsOf", () => {
  it.each<[string | undefined, string[]]>([
    [undefined, []],
    ["", []],
    ["identity", []],
    ["GZIP", ["gzip"]],
    [" gzip ,br,, Identity", ["gzip", "br"]],
  ])("reads %j as %j", (value, encodings) => {
    expect(encodingsOf(headersOf(value === undefined ? {} : { "content-encoding": value }))).toEqual(
      encodings,
    );
  });
});

describe("createContentDecoder", () => {
  it.each<[string[], Uint8Array]>([
    [["gzip"], gzipSync(TEXT)],
    [["x-gzip"], gzipSync(TEXT)],
    [["deflate"], deflateSync(TEXT)],
    [["br"], brotliCompressSync(TEXT)],
    [["deflate", "gzip", "br"], brotliCompressSync(gzipSync(deflateSync(TEXT)))],
  ])("undoes %j in the order in which it was done", async (encodings, bytes) => {
    const { sink, seen, settled, text } = sinkThat();
    const decoder = decoderOf(encodings, sink);
    decoder.write(bytes.subarray(0, 7));
    decoder.write(bytes.subarray(7));
    decoder.end();
    await settled;
    expect([text(), seen]).toEqual([TEXT, ["end"]]);
  });

  it("knows zstd where Node does", () => {
    const made = stubZlib(["createZstdDecompress", "createGunzip"]);
    expect(createContentDecoder(["zstd", "gzip"], sinkThat().sink)).toBeDefined();
    expect([...made.keys()]).toEqual(["createZstdDecompress", "createGunzip"]);
  });

  it.each([[["zip"]], [["gzip", "zip"]], [["zip", "gzip"]], [["constructor"]], [[]]])(
    "does not pretend to know %j",
    (encodings) => {
      expect(createContentDecoder(encodings, sinkThat().sink)).toBeUndefined();
    },
  );

  it.each([undefined, {}, { getBuiltinModule: () => undefined }, { getBuiltinModule: () => ({}) }])(
    "knows nothing where there is no zlib (%j)",
    (process) => {
      vi.stubGlobal("process", process);
      expect(createContentDecoder(["gzip"], sinkThat().sink)).toBeUndefined();
    },
  );

  it("takes nothing for nothing, and gives its end at once", () => {
    const { sink, seen, chunks } = sinkThat();
    decoderOf(["gzip"], sink).end();
    expect([seen, chunks]).toEqual([["end"], []]);
  });

  it("pauses when the sink asks for it, until it is resumed", async () => {
    const big = Buffer.alloc(200_000, "x");
    let open = false;
    const { sink, seen, chunks, settled } = sinkThat(() => open);
    const decoder = decoderOf(["gzip"], sink);
    decoder.write(gzipSync(big));
    decoder.end();
    await vi.waitFor(() => expect(chunks).toHaveLength(1));
    await afterOthers();
    expect([chunks.length, seen.includes("end")]).toEqual([1, false]);
    open = true;
    decoder.resume();
    await settled;
    expect(Buffer.concat(chunks).equals(big)).toBe(true);
  });

  it("asks for a pause when more is written than it can take, and says when it wants more", async () => {
    const { sink, seen, settled, text } = sinkThat();
    const decoder = decoderOf(["gzip"], sink);
    const noise = Buffer.from(Array.from({ length: 60_000 }, (_, index) => (index * 7919) % 251));
    const bytes = gzipSync(noise, { level: 0 });
    expect(decoder.write(bytes)).toBe(false);
    await vi.waitFor(() => expect(seen).toEqual(["drain"]));
    expect(decoder.write(new Uint8Array(0))).toBe(true);
    decoder.end();
    await settled;
    expect(Buffer.from(text()).length).toBeGreaterThan(0);
  });

  it.each([
    ["in the first", ["gzip", "br"], Buffer.from("no brotli at all")],
    ["in the last", ["gzip", "br"], brotliCompressSync("no gzip")],
  ])("fails once over broken bytes %s of its steps", async (_which, encodings, bytes) => {
    const { sink, seen, settled } = sinkThat();
    const decoder = decoderOf(encodings, sink);
    decoder.write(bytes);
    decoder.end();
    await settled;
    await afterOthers();
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatch(/^failed (Z_DATA_ERROR|ERR_)/);
  });

  it("fails over bytes that end too early", async () => {
    const { sink, seen, settled } = sinkThat();
    const decoder = decoderOf(["gzip"], sink);
    decoder.write(gzipSync(TEXT).subarray(0, -9));
    decoder.end();
    await settled;
    expect(seen).toEqual(["failed Z_BUF_ERROR"]);
  });

  it("is silent once it is destroyed", async () => {
    for (const bytes of [gzipSync(TEXT), Buffer.from("no gzip")]) {
      const { sink, seen, chunks } = sinkThat();
      const decoder = decoderOf(["gzip"], sink);
      decoder.write(bytes);
      decoder.end();
      decoder.destroy();
      await afterOthers();
      expect([seen, chunks]).toEqual([[], []]);
    }
  });

  it("is silent then whatever its steps still have to say, and fails once however many of them fail", () => {
    const steps = ["createBrotliDecompress", "createGunzip"];
    const say = (made: ReturnType<typeof stubZlib>) => {
      for (const name of steps) made.get(name)?.["error"]?.({ code: name });
      made.get("createGunzip")?.["data"]?.(new Uint8Array(1));
      made.get("createGunzip")?.["end"]?.();
    };
    const failed = stubZlib(steps);
    const once = sinkThat();
    decoderOf(["gzip", "br"], once.sink);
    say(failed);
    expect([once.seen, once.chunks]).toEqual([["failed createBrotliDecompress"], []]);

    const destroyed = stubZlib(steps);
    const never = sinkThat();
    decoderOf(["gzip", "br"], never.sink).destroy();
    say(destroyed);
    expect([never.seen, never.chunks]).toEqual([[], []]);
  });
});

describe("decodedHeaders", () => {
  it("are those of the answer without what only its encoding made true", () => {
    const record = { "content-type": "image/png", "content-encoding": "gzip", "content-length": "9" };
    const headers = decodedHeaders(headersOf(record));
    expect(headers.toRecord()).toEqual({ "content-type": "image/png" });
    expect(Object.keys(record).map((name) => headers.get(name))).toEqual(["image/png", undefined, undefined]);
  });
});
