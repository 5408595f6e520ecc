import { describe, expect, it } from "vitest";
import { encodeMultipart, type FormPart, type MultipartBody } from "./multipart.js";

const BYTES = Uint8Array.of(0, 13, 10, 255);
const FILE = { name: "image", filename: "a.png", mediaType: "image/png" };

/** A stream of pieces that notes why it was cancelled. */
function streamOf(...pieces: string[]) {
  const cancelled: unknown[] = [];
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = pieces.shift();
        if (piece === undefined) controller.close();
        else controller.enqueue(new TextEncoder().encode(piece));
      },
      cancel(reason) {
        cancelled.push(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, cancelled };
}

async function textOf(body: MultipartBody["body"]): Promise<string> {
  const chunks: Uint8Array[] = [];
  if (body instanceof Uint8Array) chunks.push(body);
  else if (body instanceof Blob) chunks.push(new Uint8Array(await body.arrayBuffer()));
  else for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("latin1");
}

const boundaryOf = (contentType: string) => /^multipart\/form-data; boundary=(\S+)$/.exec(contentType)?.[1];

describe("encodeMultipart", () => {
  const PARTS: FormPart[] = [
    { name: "prompt", value: "a fox" },
    { ...FILE, data: BYTES },
    { ...FILE, filename: "b.png", data: new Blob(["blob"]) },
  ];

  it("writes fields and files as the standard has them, as a Blob that can be sent again", async () => {
    const { contentType, body, replayable, release } = encodeMultipart(PARTS);
    const line = `--${boundaryOf(contentType)}`;
    expect([replayable, body instanceof Blob, release]).toEqual([true, true, undefined]);
    expect(await textOf(body)).toBe(
      [
        line,
        'content-disposition: form-data; name="prompt"',
        "",
        "a fox",
        line,
        'content-disposition: form-data; name="image"; filename="a.png"',
        "content-type: image/png",
        "",
        "\0\r\n\xff",
        line,
        'content-disposition: form-data; name="image"; filename="b.png"',
        "content-type: image/png",
        "",
        "blob",
        `${line}--`,
        "",
      ].join("\r\n"),
    );
  });

  it("writes the same where there is a stream, which can be sent once", async () => {
    const { stream } = streamOf("stre", "am");
    const streamed = encodeMultipart([...PARTS, { ...FILE, data: stream }]);
    const whole = encodeMultipart([...PARTS, { ...FILE, data: Buffer.from("stream") }]);
    expect([streamed.replayable, streamed.body instanceof Blob]).toEqual([false, false]);
    const boundaries = /--model-gateway-[-\da-f]+/g;
    const [text, expected] = [await textOf(streamed.body), await textOf(whole.body)];
    expect(text.match(boundaries)).toHaveLength(5);
    expect(text.replaceAll(boundaries, "")).toBe(expected.replaceAll(boundaries, ""));
  });

  it("writes bytes as bytes, which stay what they were and can be sent again", async () => {
    const data = Uint8Array.from(BYTES);
    const { contentType, body, replayable, release } = encodeMultipart([
      { name: "prompt", value: "ü" },
      { ...FILE, data: data.subarray(1) },
    ]);
    data.fill(7);
    expect([replayable, body.constructor, release]).toEqual([true, Uint8Array, undefined]);
    const line = `--${boundaryOf(contentType)}`;
    const file = 'content-disposition: form-data; name="image"; filename="a.png"\r\ncontent-type: image/png';
    expect(await textOf(body)).toBe(
      `${line}\r\ncontent-disposition: form-data; name="prompt"\r\n\r\n\xc3\xbc\r\n` +
        `${line}\r\n${file}\r\n\r\n\r\n\xff\r\n${line}--\r\n`,
    );
  });

  it("takes another boundary each time, so that nobody can write it into a file", () => {
    const [one, other] = [encodeMultipart(PARTS), encodeMultipart(PARTS)];
    expect(one.contentType).not.toBe(other.contentType);
  });

  it("lets no name break out of its quotes or its line", async () => {
    const name = 'a"b"\r\nc\r\n';
    const { body } = encodeMultipart([{ name, filename: name, mediaType: "image/png", data: BYTES }]);
    const escaped = "a%22b%22%0D%0Ac%0D%0A";
    expect(await textOf(body)).toContain(`name="${escaped}"; filename="${escaped}"\r\n`);
  });
});

describe("the streams of a form that is not sent", () => {
  it("are let go of, each with the reason", async () => {
    const [one, other] = [streamOf("a"), streamOf("b")];
    const { release } = encodeMultipart([
      { ...FILE, data: one.stream },
      { ...FILE, data: BYTES },
      { ...FILE, data: other.stream },
    ]);
    release?.("over");
    expect([one.cancelled, other.cancelled]).toEqual([["over"], ["over"]]);
  });

  it("are let go of in the middle too: that which is being read, and those behind it", async () => {
    const [read, current, next] = [streamOf("a"), streamOf("b", "c"), streamOf("d")];
    const { body, release } = encodeMultipart(
      [read, current, next].map(({ stream }) => ({ ...FILE, data: stream })),
    );
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      if (Buffer.from(chunk).toString() === "b") break;
    }
    release?.("over");
    expect([read.cancelled, current.cancelled, next.cancelled]).toEqual([[], ["over"], ["over"]]);
  });

  it("may be somebody else's, closed or broken: nobody hears of it", async () => {
    const taken = streamOf("a");
    taken.stream.getReader();
    const failing = () => new ReadableStream<Uint8Array>({ cancel: () => Promise.reject(new Error("no")) });
    const read = failing();
    const { body, release } = encodeMultipart([
      { ...FILE, data: read },
      { ...FILE, data: failing() },
      { ...FILE, data: taken.stream },
    ]);
    const iterator = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    await iterator.next();
    void iterator.next();
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on("unhandledRejection", note);
    release?.("over");
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    process.off("unhandledRejection", note);
    expect([unhandled, taken.cancelled]).toEqual([[], []]);
  });

  it("are left alone once they were read to their end", async () => {
    const { stream, cancelled } = streamOf("a");
    const { body, release } = encodeMultipart([{ ...FILE, data: stream }]);
    await textOf(body);
    release?.("over");
    expect(cancelled).toEqual([]);
  });
});
