import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GatewayError, InvalidResponseError, type ModelGateway } from "../src/index.js";
import { gatewayFor } from "./gateways.js";
import { expectLinearWork } from "./linear-work.js";

// Text that comes from outside is read in time that grows with its length and no faster, whatever it holds, and what
// has no end is not read to its end.

const unhandled: unknown[] = [];
const note = (reason: unknown) => void unhandled.push(reason);
beforeAll(() => void process.on("unhandledRejection", note));
afterAll(async () => {
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});

/** Repeated, each of these has made some expression or scanner slow somewhere. */
const ATOMS = [
  "<",
  "< ",
  "<a",
  "<script",
  "<script>",
  "<style ",
  "<!--",
  "</script",
  "&lt;",
  "<![CDATA[",
  "![](http:",
  "![](https://a.example/b.png",
  "![",
  "](",
  "![a](data:image/png;base64,A",
  "![ ](  <",
  "[",
  "]",
  "(",
  ")",
  "{",
  "}",
  "http://",
  "https://a.example/b.png,",
  ".,;:!?*_",
  "data:image/png;base64,AAAA",
  "data:image/",
  "data:",
  ";base64",
  "```json\n",
  "```",
  "`",
  "<think>",
  " ",
  "\n",
  "\t",
  "\r",
  "\r\n\r\n",
  ".",
  ",",
  ";",
  ":",
  "/",
  "../",
  "%",
  "%41",
  "=",
  "+",
  "-",
  "_",
  "sk-",
  "sk-aaaaaaaa",
  "a",
  "A",
  "aA",
  "a.",
  "9",
  "9999999999999999,",
  "1e9",
  "x1",
  "quota ",
  "余额",
  "é",
  "世",
  "🎬",
  "\u2028",
  "\0",
  '"',
  "\\",
  '"id":1',
  '"id": 12345678901234567',
  "'",
  "data: {\n",
  "event: x\n",
  "data:\n",
  "[DONE]",
  "true",
  "null",
  "gzip,",
  "error",
];

/** What is tried once, then over again for each of the many characters in the middle. */
const FRAMED: ReadonlyArray<readonly [before: string, atom: string, after: string]> = [
  ["https://a.example/", ".", "x"],
  ["https://a.example/", "!?", "x"],
  ["https://a.example/", "/", ""],
  ["<script>", "a", ""],
  ["<script>", "</scrip", ">"],
  ["<", " ", ">"],
  ["<!--", "-", ""],
  ["![", "a", "]"],
  ["![a](http://", " ", "x"],
  ["![a](", " ", "x"],
  ["data:image/png;base64,", "A", "!"],
  ["data:image/", "a", "!"],
  ["```json", " ", "x"],
  ["```json\n", "`", "x"],
  ["<think>", "<", "think>"],
  ["sk-", "a", "!"],
  [" ", "\t", "x"],
  ['{"id":', " ", "12345678901234567890}"],
  ['{"', "a", 'id":12345678901234567890}'],
  ['{"id":', "1", "}"],
  ["application/", "a.", "+x"],
  [";", "base64", ","],
];

const SHAPES = [...ATOMS.map((atom) => ["", atom, ""] as const), ...FRAMED];

const CHAT = { model: "m", messages: [{ role: "user" as const, content: "x" }] };
const HANDLE = { v: 1, family: "content", id: "t" } as const;

interface Answer {
  body: string | Uint8Array | ReadableStream<Uint8Array>;
  status?: number;
  headers?: Record<string, string>;
}

function answering(answer: () => Answer): ModelGateway {
  return gatewayFor("https://gateway.example/v1", {
    endpoints: { specialized: "https://gateway.example/specialized/v1" },
    fetch: async () => {
      const { body, status, headers } = answer();
      return new Response(body as BodyInit, { status, headers });
    },
    maxRetries: 0,
  });
}

const json = (value: unknown, status = 200): Answer => ({
  body: JSON.stringify(value),
  status,
  headers: { "content-type": "application/json" },
});
const page = (body: string, status: number, type = "text/html"): Answer => ({
  body,
  status,
  headers: { "content-type": type },
});
const events = (body: string): Answer => page(body, 200, "text/event-stream");
const completion = (message: unknown) => ({
  id: "c",
  choices: [{ index: 0, message, finish_reason: "stop" }],
});
const chunk = (delta: unknown, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

/** The call ends with a result, or with an error of this package that can be printed. */
async function ends(call: () => unknown): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    expect(`${error.message}${JSON.stringify(error)}`.length).toBeGreaterThan(0);
  }
}

const chat = (gateway: ModelGateway) => gateway.chat.completions.create(CHAT);
const stream = async (gateway: ModelGateway) =>
  (await gateway.chat.completions.create({ ...CHAT, stream: true })).finalCompletion();

/** Every place where text from outside is looked at by more than `JSON.parse`. */
const READERS: Record<string, (text: string) => unknown> = {
  "an error page": (text) => chat(answering(() => page(`<html>${text}`, 502))),
  "an error page that begins with it": (text) => chat(answering(() => page(text, 500))),
  "a page where JSON should be": (text) => chat(answering(() => page(text, 200, "application/json"))),
  "an error's message, type and code": (text) =>
    chat(answering(() => json({ error: { message: text, type: text, code: text } }, 400))),
  "an error's details": (text) => chat(answering(() => json({ detail: [{ loc: [text], msg: text }] }, 422))),
  "a name inside an error": (text) =>
    chat(answering(() => json({ error: { message: "x" }, [text]: text }, 400))),
  "an answer that may hold images": (text) =>
    answering(() => json(completion({ role: "assistant", content: text }))).images.generateThroughChat({
      model: "m",
      prompt: "x",
    }),
  "parts of an answer that may hold images": (text) =>
    answering(() =>
      json(completion({ role: "assistant", content: [{ type: "text", text }], images: [text] })),
    ).images.generateThroughChat({ model: "m", prompt: "x" }),
  "a verdict": (text) =>
    answering(() => json(completion({ content: text }))).moderations.classify("x", {
      strategy: "chat",
      model: "m",
    }),
  "categories of a moderation": (text) =>
    answering(() =>
      json({ results: [{ flagged: true, categories: { [text]: true }, category_scores: { [text]: 1 } }] }),
    ).moderations.classify("x", { strategy: "endpoint", model: "m" }),
  "a body of events": (text) => stream(answering(() => events(text))),
  "a body of events without a type": (text) => stream(answering(() => page(text, 200, ""))),
  "the text of an event": (text) =>
    stream(answering(() => events(chunk({ content: text, refusal: text }) + chunk({}, "stop")))),
  "the arguments of a tool call": (text) =>
    stream(
      answering(() =>
        events(
          chunk({ tool_calls: [{ id: text, function: { name: text, arguments: text } }] }) +
            chunk({ tool_calls: [{ function: { name: "f", arguments: "" } }] }) +
            chunk({}, "tool_calls"),
        ),
      ),
    ),
  "the fields of an image": (text) =>
    answering(() =>
      json({ data: [{ url: text, revised_prompt: text }], output_format: text }),
    ).images.generate({ prompt: "x" }),
  "the fields of a task": (text) =>
    answering(() =>
      json({ id: text, status: text, progress: text, fail_reason: text, output: { video_url: text } }),
    ).videos.retrieve(HANDLE),
  "a notice about a task": async (text) =>
    answering(() => json({})).videos.readCallback({ id: text, data: text, task_status: text }),
  "text where audio should be": async (text) =>
    (
      await answering(() => page(text, 200, "audio/mpeg")).audio.speech.create({
        model: "m",
        input: "x",
        voice: "v",
      })
    ).bytes(),
  "a balance": (text) =>
    answering(() => json({ hard_limit_usd: text, total_usage: text, error: text })).account.balance(),
  "embeddings in Base64": (text) =>
    answering(() => json({ data: [{ index: 0, embedding: text }] })).embeddings.create({
      model: "m",
      input: "x",
    }),
  "a data URL": async (text) => (await answering(() => json({})).download(`data:${text}`)).bytes(),
};

describe.each(Object.entries(READERS))("%s", (_name, read) => {
  it("is read in time that grows with its length, whatever it repeats", async () => {
    for (const [before, atom, after] of SHAPES) {
      const text = (size: number) => before + atom.repeat(Math.ceil(size / atom.length)) + after;
      await expectLinearWork((size) => ends(() => read(text(size)))).catch((error: Error) => {
        const shape = `${JSON.stringify(before)}, ${JSON.stringify(atom)} repeated, ${JSON.stringify(after)}`;
        throw new Error(`${shape}: ${error.message}`, { cause: error });
      });
    }
  });
});

/** So many small things as fit into a text of that length. */
function many(size: number, make: (index: number) => string): string[] {
  const pieces: string[] = [];
  for (let length = 0; length < size; length += (pieces.at(-1) as string).length)
    pieces.push(make(pieces.length));
  return pieces;
}

const list = (size: number, make: (index: number) => unknown) =>
  many(size, (index) => JSON.stringify(make(index)));
const array = (size: number, make: (index: number) => unknown) => `[${list(size, make).join(",")}]`;
const tools = (size: number, make: (index: number) => unknown) =>
  stream(
    answering(() =>
      events(many(size, (index) => chunk({ tool_calls: [make(index)] })).join("") + chunk({}, "tool_calls")),
    ),
  );
const deltas = (size: number, make: (index: number) => unknown) =>
  stream(answering(() => events(many(size, (index) => chunk(make(index))).join("") + chunk({}, "stop"))));

/** What takes a turn of its own for each of many. */
const CROWDS: Record<string, (size: number) => unknown> = {
  "choices in one event": (size) =>
    stream(
      answering(() =>
        events(
          `data: {"choices":${array(size, (index) => ({ index, delta: { content: "a" }, finish_reason: "stop" }))}}\n\n`,
        ),
      ),
    ),
  "choices in events of their own": (size) =>
    stream(
      answering(() =>
        events(
          many(
            size,
            (index) => `data: {"choices":[{"index":${index},"delta":{},"finish_reason":"stop"}]}\n\n`,
          ).join(""),
        ),
      ),
    ),
  "fragments that repeat the name, without a number": (size) =>
    tools(size, () => ({ function: { name: "f", arguments: '{"a":[1,' } })),
  "fragments that repeat name and number": (size) =>
    tools(size, () => ({ index: 0, id: "a", function: { name: "f", arguments: "1" } })),
  "tool calls with ids of their own": (size) =>
    tools(size, (index) => ({ id: `c${index}`, function: { name: "f", arguments: "{}" } })),
  "tool calls with numbers of their own": (size) =>
    tools(size, (index) => ({ index, function: { arguments: "1" } })),
  "tool calls in one event": (size) =>
    stream(
      answering(() =>
        events(
          `data: {"choices":[{"index":0,"delta":{"tool_calls":${array(size, (index) => ({ id: `c${index}`, function: { name: "f" } }))}}}]}\n\n${chunk({}, "stop")}`,
        ),
      ),
    ),
  tokens: (size) => deltas(size, () => ({ content: "a" })),
  "tokens of a refusal": (size) => deltas(size, () => ({ refusal: "a" })),
  "pieces of thinking": (size) =>
    deltas(size, () => ({ content: [{ type: "thinking", thinking: [{ type: "text", text: "a" }] }] })),
  "details of reasoning": (size) =>
    deltas(size, (index) => ({ reasoning_details: [{ type: "reasoning.text", index, text: "a" }] })),
  "fields that nobody knows": (size) => deltas(size, (index) => ({ [`f${index}`]: index })),
  "lines of one event": (size) =>
    stream(answering(() => events(`${many(size, () => "data: {}").join("\n")}\n\n`))),
  comments: (size) => stream(answering(() => events(many(size, () => ": ping\n\n").join("")))),
  "images of a stream": async (size) => {
    const body = many(
      size,
      (index) =>
        `data: {"type":"image_generation.partial_succeeded","image_index":${index},"url":"https://a.example/"}\n\n`,
    ).join("");
    for await (const _event of await answering(() => events(body)).images.stream({ prompt: "x" }));
  },
  images: (size) =>
    answering(() =>
      page(`{"data":${array(size, () => ({ url: "https://a.example/" }))}}`, 200),
    ).images.generate({ prompt: "x" }),
  "parts of a message": (size) =>
    answering(() =>
      page(
        `{"choices":[{"index":0,"message":{"content":${array(size, () => ({ type: "text", text: "![x](" }))}}}]}`,
        200,
      ),
    ).images.generateThroughChat({ model: "m", prompt: "x" }),
  links: (size) =>
    answering(() =>
      json(completion({ content: many(size, (index) => `https://a.example/${index}.png `).join("") })),
    ).images.generateThroughChat({ model: "m", prompt: "x" }),
  vectors: (size) =>
    answering(() =>
      page(`{"data":${array(size, (index) => ({ index, embedding: [1] }))}}`, 200),
    ).embeddings.create({ model: "m", input: ["a"] }),
  models: (size) =>
    answering(() => page(`{"data":${array(size, (index) => ({ id: index }))}}`, 200)).models.list(),
  "results of a moderation": (size) =>
    answering(() =>
      page(`{"results":${array(size, () => ({ flagged: true, categories: { a: true } }))}}`, 200),
    ).moderations.classify("x", { strategy: "endpoint", model: "m" }),
  "films of a task": (size) =>
    answering(() =>
      page(
        `{"status":"succeeded","data":{"task_result":{"videos":${array(size, () => ({ url: "https://a.example/" }))}}}}`,
        200,
      ),
    ).videos.retrieve(HANDLE),
  "details of an error": (size) =>
    chat(answering(() => page(`{"detail":${array(size, () => ({ loc: ["a"], msg: "b" }))}}`, 422))),
  "large numbers": (size) =>
    chat(
      answering(() =>
        page(`{"choices":[${many(size, () => '{"id":12345678901234567890}').join(",")}]}`, 200),
      ),
    ),
};

describe.each(Object.entries(CROWDS))("many %s", (_name, read) => {
  it("are read in time that grows with their number", () =>
    expectLinearWork((size) => ends(() => read(size)), 2 ** 22));
});

/** Every call that reads an answer. */
const CALLS: Record<string, (gateway: ModelGateway) => unknown> = {
  chat,
  "chat stream": stream,
  embeddings: (gateway) => gateway.embeddings.create({ model: "m", input: "x" }),
  models: (gateway) => gateway.models.list(),
  "video create": (gateway) => gateway.videos.create({ model: "m", content: [{ type: "text", text: "x" }] }),
  "video retrieve": (gateway) => gateway.videos.retrieve(HANDLE),
  images: (gateway) => gateway.images.generate({ prompt: "x" }),
  "image stream": async (gateway) => {
    for await (const _event of await gateway.images.stream({ prompt: "x" }));
  },
  "image chat": (gateway) => gateway.images.generateThroughChat({ model: "m", prompt: "x" }),
  "image edit": (gateway) => gateway.images.edit({ prompt: "x", images: [Uint8Array.of(1)] }),
  speech: async (gateway) =>
    (await gateway.audio.speech.create({ model: "m", input: "x", voice: "v" })).bytes(),
  moderation: (gateway) => gateway.moderations.create({ model: "m", input: "x" }),
  classification: (gateway) => gateway.moderations.classify("x", { strategy: "auto", model: "m" }),
  balance: (gateway) => gateway.account.balance(),
  "any request": (gateway) => gateway.request({ method: "GET", path: "/anything" }),
  download: async (gateway) => (await gateway.download("https://gateway.example/f")).bytes(),
};

const DEPTH = 200_000;
const NESTED: Record<string, string> = {
  arrays: "[".repeat(DEPTH) + "]".repeat(DEPTH),
  objects: `${'{"data":'.repeat(DEPTH)}1${"}".repeat(DEPTH)}`,
  "objects called error": `${'{"error":'.repeat(DEPTH)}1${"}".repeat(DEPTH)}`,
  choices: `{"id":"c","choices":[{"index":0,"message":${'{"x":'.repeat(DEPTH)}1${"}".repeat(DEPTH)},"delta":${'{"x":'.repeat(DEPTH)}1${"}".repeat(DEPTH)},"finish_reason":"stop"}]}`,
};

describe.each(Object.entries(CALLS))("%s", (_name, call) => {
  it.each(Object.entries(NESTED))(
    "ends with an error of ours, or a result, when %s are nested 200,000 deep",
    async (_what, text) => {
      for (const answer of [
        page(text, 200, "application/json"),
        page(text, 500, "application/json"),
        events(`data: ${text}\n\n`),
      ]) {
        await ends(() => call(answering(() => answer)));
      }
    },
  );

  it("ends with an error of ours, or a result, when headers are huge", async () => {
    const long = "x".repeat(2 ** 20);
    const headers = {
      "retry-after": "9".repeat(2 ** 16),
      "x-request-id": `sk-${"a".repeat(2 ** 16)}`,
      location: `https://gateway.example/${long}`,
      "content-type": `application/${"a.".repeat(2 ** 16)}`,
      "content-encoding": "identity,".repeat(2 ** 12),
      "content-length": "9".repeat(300),
      [`x-${"a".repeat(2 ** 12)}`]: long,
    };
    for (const status of [200, 302, 429, 500])
      await ends(() => call(answering(() => ({ body: "{}", status, headers }))));
  });

  it("ends with an error of ours, or a result, when what claims to be compressed is not", async () => {
    for (const encoding of ["gzip", "deflate", "br", "zstd", "gzip, gzip", "x", "gzip,".repeat(1_000)]) {
      await ends(() => call(answering(() => ({ body: "{}", headers: { "content-encoding": encoding } }))));
    }
  });
});

const MEBIBYTE = new Uint8Array(2 ** 20).fill("a".charCodeAt(0));

/** A body that goes on for ever, and how much of it was taken. */
function endless(start: string): { body: ReadableStream<Uint8Array>; taken: () => number } {
  let taken = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(taken === 0 ? new TextEncoder().encode(start) : MEBIBYTE);
      taken++;
    },
  });
  return { body, taken: () => taken };
}

describe("what has no end", () => {
  it.each([
    ["an event of a chat stream", stream, 'data: {"choices":[{"delta":{"content":"', 80],
    ["a comment", stream, ": ", 80],
    ["an event that has no data", stream, "event: ", 80],
    [
      "an event of an image stream",
      CALLS["image stream"],
      'data: {"type":"image_generation.completed","b64_json":"',
      140,
    ],
  ] as const)("is not read to its end: %s", async (_name, call, start, atMost) => {
    const { body, taken } = endless(start);
    const error = await errorOf(() =>
      call?.(answering(() => ({ body, headers: { "content-type": "text/event-stream" } }))),
    );
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(taken()).toBeLessThan(atMost);
  });

  it.each(Object.entries(CALLS).filter(([name]) => !["speech", "download", "any request"].includes(name)))(
    "is not read to its end: the body of an error that answers %s",
    async (_name, call) => {
      const { body, taken } = endless("{");
      const error = await errorOf(() => call(answering(() => ({ body, status: 500 }))));
      expect(error).toBeInstanceOf(GatewayError);
      expect(taken()).toBeLessThan(8);
    },
  );

  it.each(["chat", "embeddings", "video retrieve", "models", "moderation"])(
    "is not read to its end: the body that answers %s",
    async (name) => {
      const { body, taken } = endless('{"a":"');
      const error = await errorOf(() => CALLS[name]?.(answering(() => ({ body }))));
      expect(error).toBeInstanceOf(InvalidResponseError);
      expect(taken()).toBeLessThan(140);
    },
  );
});

async function errorOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  throw new Error("Expected an error.");
}
