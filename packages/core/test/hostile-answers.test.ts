import {
  type Answer,
  answerWith,
  breakAfterRequest,
  compress,
  cutShort,
  dribble,
  lieAboutLength,
  repeat,
  type ScenarioServer,
  stall,
  startScenarioServer,
  type WholeAnswer,
} from "@model-gateway/scenario-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GatewayError, type ModelGateway } from "../src/index.js";
import { errorOf, gatewayFor, TRANSPORTS } from "./gateways.js";

// Whatever a server does to an answer, a call gives the whole of it or an error that says what it means for money.

const PNG = "iVBORw0KGgo=";
const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const says = (content: string) => ({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  usage: USAGE,
});
const SOUND = Uint8Array.from({ length: 4_000 }, (_, index) => index % 251);
const file = (type: string): WholeAnswer => ({ body: SOUND, headers: { "content-type": type } });

interface Subject {
  /** Whether the call must never be sent twice. */
  paid: boolean;
  /** A file is left to the caller to ask for again: he may have read half of it. */
  once?: true;
  answer: WholeAnswer;
  /** What the caller gets of it, as plain JSON. */
  call(gateway: ModelGateway, server: ScenarioServer): PromiseLike<unknown>;
}

const SUBJECTS: Record<string, Subject> = {
  chat: {
    paid: false,
    answer: { body: says("Grüße, 世界 🎬") },
    call: (gateway) =>
      gateway.chat.completions.create({ model: "m", messages: [{ role: "user", content: "x" }] }),
  },
  embeddings: {
    paid: false,
    answer: { body: { data: [{ index: 0, embedding: [0.25, -1] }], model: "m", usage: USAGE } },
    call: (gateway) => gateway.embeddings.create({ model: "m", input: "x" }),
  },
  models: {
    paid: false,
    answer: { body: { object: "list", data: [{ id: "a", object: "model", owned_by: "b" }] } },
    call: (gateway) => gateway.models.list(),
  },
  "a moderation": {
    paid: false,
    answer: { body: { results: [{ flagged: false, categories: {}, category_scores: {} }] } },
    call: (gateway) => gateway.moderations.create({ model: "m", input: "x" }),
  },
  "the state of a task": {
    paid: false,
    answer: { body: { id: "t", status: "succeeded", output: { video_url: "https://a.example/1.mp4" } } },
    call: (gateway) => gateway.videos.retrieve({ v: 1, family: "content", id: "t" }),
  },
  "any request": {
    paid: false,
    answer: { body: { any: "thing" } },
    call: (gateway) => gateway.request({ method: "GET", path: "/anything" }),
  },
  "a download": {
    paid: false,
    once: true,
    answer: file("video/mp4"),
    call: async (gateway, { origin }) => [...(await (await gateway.download(`${origin}/file`)).bytes())],
  },
  "a new task": {
    paid: true,
    answer: { body: { id: "t", status: "queued" } },
    // The handle says when it was made.
    call: async (gateway) =>
      (await gateway.videos.create({ model: "m", content: [{ type: "text", text: "x" }] })).raw,
  },
  images: {
    paid: true,
    answer: { body: { created: 1, data: [{ b64_json: PNG }], usage: { total_tokens: 1 } } },
    call: async (gateway) => (await gateway.images.generate({ prompt: "x" })).raw,
  },
  "edited images": {
    paid: true,
    answer: { body: { created: 1, data: [{ b64_json: PNG }] } },
    call: async (gateway) =>
      (await gateway.images.edit({ prompt: "x", images: [Uint8Array.of(0x89, 0x50)] })).raw,
  },
  "images through chat": {
    paid: true,
    answer: { body: says(`![x](data:image/png;base64,${PNG})`) },
    call: async (gateway) => (await gateway.images.generateThroughChat({ model: "m", prompt: "x" })).raw,
  },
  speech: {
    paid: true,
    answer: file("audio/mpeg"),
    call: async (gateway) => [
      ...(await (await gateway.audio.speech.create({ model: "m", input: "x", voice: "v" })).bytes()),
    ],
  },
};

const size = ({ body }: WholeAnswer) =>
  body instanceof Uint8Array ? body.length : Buffer.byteLength(JSON.stringify(body));

/** What changes how an answer comes, and nothing about what it says. */
const HARMLESS: Record<string, (answer: WholeAnswer) => Answer> = {
  "comes byte by byte": dribble,
  "is compressed by gzip": (answer) => compress(answer, "gzip"),
  "is compressed by deflate": (answer) => compress(answer, "deflate"),
  "is compressed by br": (answer) => compress(answer, "br"),
};

/** What takes something of an answer away. */
const HARMFUL: Record<string, (answer: WholeAnswer) => Answer> = {
  "never comes: RST": () => breakAfterRequest("rst"),
  "never comes: FIN": () => breakAfterRequest("fin"),
  "is cut by FIN": (answer) => cutShort(answer, size(answer) >> 1, "fin"),
  "is cut by RST": (answer) => cutShort(answer, size(answer) >> 1, "rst"),
  "is cut after its head": (answer) => cutShort(answer, 1, "rst"),
  "is shorter than it claims": (answer) => lieAboutLength(answer, 5),
};

let server: ScenarioServer;
beforeAll(async () => {
  server = await startScenarioServer();
});
afterAll(() => server.close());

const plain = (value: unknown) => JSON.parse(JSON.stringify(value ?? null)) as unknown;

describe.each(TRANSPORTS)("over %s", (_transport, transport) => {
  describe.each(Object.entries(SUBJECTS))("%s", (_name, { paid, once = paid, answer, call }) => {
    const ask = (options = {}) =>
      call(
        gatewayFor(server.url, {
          endpoints: { specialized: server.url },
          maxRetries: 0,
          ...transport,
          ...options,
        }),
        server,
      );

    it("says the same whether its answer comes at once, byte by byte or compressed", async () => {
      server.answer(answerWith(answer));
      const whole = plain(await ask());
      expect(JSON.stringify(whole).length).toBeGreaterThan(10);
      for (const [how, hostile] of Object.entries(HARMLESS)) {
        server.answer(hostile(answer));
        expect(plain(await ask()), how).toEqual(whole);
      }
    });

    it.each(Object.entries(HARMFUL))(
      "is an error that knows about money when its answer %s",
      async (_how, hostile) => {
        server.answer(hostile(answer));
        const before = server.requests.length;
        const error = (await errorOf(ask())) as GatewayError;
        expect(error).toBeInstanceOf(GatewayError);
        expect(["connection", "stream_interrupted"]).toContain(error.kind);
        expect(error).toMatchObject({ maybeProcessed: paid });
        expect(server.requests.length - before).toBe(1);
      },
    );

    it("is sent once when it is paid, and again when it may be, after a broken connection", async () => {
      server.answerOnce(breakAfterRequest());
      server.answer(answerWith(answer));
      const before = server.requests.length;
      if (once) expect(await errorOf(ask({ maxRetries: 2 }))).toMatchObject({ maybeProcessed: paid });
      else await ask({ maxRetries: 2 });
      expect(server.requests.length - before).toBe(once ? 1 : 2);
    });

    it.each([0, 3])("ends by its time-out when its answer stalls after %i bytes", async (bytes) => {
      // A connection that is there already: what is not connected in time was not sent.
      server.answer(answerWith(answer));
      await ask();
      await new Promise((resolve) => setImmediate(resolve));
      server.answer(stall(answer, bytes));
      const error = (await errorOf(ask({ timeout: 200, streamIdleTimeout: 200 }))) as GatewayError;
      expect(["timeout", "stream_interrupted"]).toContain(error.kind);
      expect(error).toMatchObject({ maybeProcessed: paid });
    });

    it("is not answered by what a server said without being asked", async () => {
      server.answerOnce(
        repeat({ body: { error: { message: "stale", type: "x", code: "" } }, status: 400 }, 3),
      );
      server.answer(answerWith(answer));
      const gateway = gatewayFor(server.url, {
        endpoints: { specialized: server.url },
        maxRetries: 0,
        ...transport,
      });
      await errorOf(call(gateway, server));
      const whole = plain(await call(gateway, server));
      expect(JSON.stringify(whole)).not.toContain("stale");
    });
  });
});
