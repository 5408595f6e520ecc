import { describe, expect, it } from "vitest";
import { gatewayFor, TRANSPORTS } from "../../test/gateways.js";
import { sendJSON, startServer } from "../../test/scripted-server.js";
import { ConfigurationError, type VideoTask } from "../index.js";
import { type PriceList, priceBook } from "../prices.js";

const LIST: PriceList = {
  models: {
    chat: { input: 1, cachedInput: 0.1, cacheWrite: 2, output: 4, reasoning: 8 },
    half: { output: 4 },
    texts: { input: 0.1 },
    "per-request": { request: 0.01 },
    pictures: { image: { "1024x1024 low": 0.01, "1024x1024 high": 0.2, "1536x1024": 0.3 } },
    speech: { characters: 15 },
    clips: { second: { "720p": 0.1, "1080p": 0.25 }, maxSeconds: 10 },
    moves: { second: { std: 0.05, pro: 0.1 } },
    films: { videoTokens: 7, maxSeconds: 10, resolution: "720p" },
  },
};
const MESSAGES = [{ role: "user" as const, content: "Hello" }];
const completion = (usage?: object, more?: object) => ({
  id: "c1",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
  ...(usage && { usage }),
  ...more,
});

/** A client with prices whose gateway answers the same each time. */
async function answering(answer: unknown, options: object = {}, headers: Record<string, string> = {}) {
  const server = await startServer((_request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    sendJSON(response, answer);
  });
  return gatewayFor(server.url, { prices: priceBook(LIST), ...options });
}

describe.each(TRANSPORTS)("costs over %s", (_name, transport) => {
  it("are by what the gateway counted, cached and reasoning tokens at their own prices", async () => {
    const usage = {
      ...{ prompt_tokens: 1_000_000, completion_tokens: 100_000, total_tokens: 1_100_000 },
      prompt_tokens_details: { cached_tokens: 500_000, cache_write_tokens: 100_000 },
      completion_tokens_details: { reasoning_tokens: 25_000 },
    };
    const gateway = await answering(completion(usage), transport);
    const { cost } = await gateway.chat.completions.create({ model: "chat", messages: MESSAGES });
    // 0.4 + 0.05 + 0.2 + 0.3 + 0.2
    expect(cost).toEqual({ amount: 1.15, currency: "USD", units: 575_000, source: "price-book" });
  });

  it("are what the gateway says, whatever the book says", async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 10, cost: 0.00042 };
    const gateway = await answering(completion(usage), transport);
    const told = { amount: 0.00042, currency: "USD", units: 210, source: "gateway" };
    const { completions } = gateway.chat;
    expect((await completions.create({ model: "chat", messages: MESSAGES })).cost).toEqual(told);
    expect((await completions.create({ model: "unpriced", messages: MESSAGES })).cost).toEqual(told);
    const byHeader = await answering(completion(), transport, { "x-litellm-response-cost": "0.00042" });
    expect((await byHeader.chat.completions.create({ model: "chat", messages: MESSAGES })).cost).toEqual(
      told,
    );
  });

  it.each<[string, string, object | undefined]>([
    ["a model without a price", "unpriced", { prompt_tokens: 1, completion_tokens: 1 }],
    ["an answer without usage", "chat", undefined],
    ["a usage of words", "chat", { prompt_tokens: "many" }],
    ["a cost that is none", "unpriced", { cost: -1 }],
    ["tokens that the price leaves out", "half", { prompt_tokens: 1, completion_tokens: 1 }],
    ["a price of something else", "speech", { prompt_tokens: 1 }],
  ])("are left out for %s", async (_what, model, usage) => {
    const gateway = await answering(completion(usage), transport);
    expect(await gateway.chat.completions.create({ model, messages: MESSAGES })).not.toHaveProperty("cost");
  });

  it("of a stream are known at its end, whatever it counts on its way", async () => {
    let goOn = () => {};
    const event = (choice: object, usage: object) =>
      `data: ${JSON.stringify({ id: "c1", choices: [{ index: 0, ...choice }], usage })}\n\n`;
    const server = await startServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(event({ delta: { content: "Hi" } }, { prompt_tokens: 10, completion_tokens: 1 }));
      goOn = () =>
        response.end(
          `${event({ delta: {}, finish_reason: "stop" }, { prompt_tokens: 10, completion_tokens: 2 })}data: [DONE]\n\n`,
        );
    });
    const gateway = gatewayFor(server.url, { ...transport, prices: priceBook(LIST) });
    const stream = await gateway.chat.completions.create({ model: "chat", messages: MESSAGES, stream: true });
    for await (const { choices } of stream) {
      if (choices[0]?.finish_reason) continue;
      expect(stream.cost).toBeUndefined();
      goOn();
    }
    expect(stream.cost).toEqual({ amount: 0.000_018, currency: "USD", units: 9, source: "price-book" });
    expect((await stream.finalCompletion()).cost).toEqual(stream.cost);
  });

  it("of embeddings are the sum of all requests, or none", async () => {
    const server = await startServer((_request, response, count) =>
      sendJSON(response, { data: [{ embedding: [1] }], ...(count !== 4 && { usage: { prompt_tokens: 1 } }) }),
    );
    const gateway = gatewayFor(server.url, { ...transport, prices: priceBook(LIST) });
    const body = { model: "texts", input: ["a", "b", "c"] };
    const { cost } = await gateway.embeddings.create(body, { batchSize: 1 });
    expect(cost).toMatchObject({ units: 3, source: "price-book" });
    expect(await gateway.embeddings.create(body, { batchSize: 1 })).not.toHaveProperty("cost");
  });

  it("are left out without prices, and a quote is refused", async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 10, cost: 1 };
    const gateway = await answering(completion(usage), { ...transport, prices: undefined });
    const body = { model: "chat", messages: MESSAGES };
    expect(await gateway.chat.completions.create(body)).not.toHaveProperty("cost");
    expect(() => gateway.costs.quote("chat.completions.create", body)).toThrow(ConfigurationError);
  });

  it("say when an attempt before may have been billed, too", async () => {
    const server = await startServer((_request, response, count) =>
      count === 1
        ? response.destroy()
        : sendJSON(response, completion({ prompt_tokens: 1, completion_tokens: 1 })),
    );
    const gateway = gatewayFor(server.url, { ...transport, prices: priceBook(LIST) });
    const { cost } = await gateway.chat.completions.create({ model: "chat", messages: MESSAGES });
    expect(cost).toEqual({ amount: 6e-6, currency: "USD", units: 3, source: "price-book", maybeMore: true });
    const refused = await startServer((_request, response, count) =>
      count === 1
        ? sendJSON(response, { error: { message: "slow down" } }, 429, { "retry-after": "0" })
        : sendJSON(response, completion({ prompt_tokens: 1, completion_tokens: 1 })),
    );
    const patient = gatewayFor(refused.url, { ...transport, prices: priceBook(LIST) });
    const again = await patient.chat.completions.create({ model: "chat", messages: MESSAGES });
    expect(again.cost).toEqual({ amount: 6e-6, currency: "USD", units: 3, source: "price-book" });
    expect(refused.requests).toHaveLength(2);
  });

  it("of images are by size and quality, without those that failed", async () => {
    const data = [{ b64_json: "AAAA" }, { error: { message: "no" } }];
    const gateway = await answering({ data }, transport);
    const body = { model: "pictures", prompt: "A fox", n: 2, size: "1024x1024" };
    expect((await gateway.images.generate({ ...body, quality: "high" })).cost).toMatchObject({ amount: 0.2 });
    // What was made is not told: nobody knows which price holds.
    expect(await gateway.images.generate({ ...body, quality: "auto" })).not.toHaveProperty("cost");
    const images = [new Uint8Array([1])];
    const edited = await gateway.images.edit({ ...body, images, quality: "low" });
    expect(edited.cost).toMatchObject({ amount: 0.01, source: "price-book" });
  });

  it("of videos are known when they are over, in whatever process", async () => {
    let state: object = { id: "t1", status: "queued" };
    const server = await startServer((_request, response) => sendJSON(response, state));
    const prices = priceBook(LIST);
    const gateway = gatewayFor(server.url, { ...transport, prices });
    const content = [{ type: "text" as const, text: "A fox" }];
    const create = (model: string, duration = 5) =>
      gateway.videos.create({ model, content, duration, resolution: "720p" });
    const [clip, film] = [await create("clips"), await create("films")];
    const estimate = { amount: 0.5, currency: "USD", units: 250_000, source: "estimate" };
    expect(clip.handle).toMatchObject({ model: "clips", cost: estimate });
    for (const task of [clip, film]) expect(task).not.toHaveProperty("cost");
    const elsewhere = gatewayFor(server.url, { ...transport, prices });
    const read = ({ handle }: VideoTask) => elsewhere.videos.retrieve(JSON.parse(JSON.stringify(handle)));
    expect(await read(clip)).not.toHaveProperty("cost");
    state = { id: "t1", status: "succeeded", usage: { total_tokens: 1_000_000 } };
    expect((await read(clip)).cost).toEqual(estimate);
    expect((await read(film)).cost).toMatchObject({ amount: 7, source: "price-book" });
    state = { id: "t1", status: "succeeded", usage: { total_tokens: 1_000_000, cost: 3 } };
    expect((await read(film)).cost).toMatchObject({ amount: 3, source: "gateway" });
    state = { id: "t1", status: "failed" };
    expect(await read(film)).not.toHaveProperty("cost");
  });
});

describe("a price book", () => {
  const book = priceBook(LIST);

  it("quotes exactly what only the request decides", () => {
    const speech = book.quote("audio.speech.create", { model: "speech", input: "Hé 🦊!" });
    expect(speech).toEqual({ upper: 0.000_076, expected: 0.000_076, currency: "USD", units: 38 });
    const pictures = { model: "pictures", prompt: "A fox", n: 2, size: "1024x1024" };
    expect(book.quote("images.generate", { ...pictures, quality: "low" })).toMatchObject({ upper: 0.02 });
    // The model chooses: the dearest holds.
    expect(book.quote("images.generate", { ...pictures, quality: "auto" })).toMatchObject({ upper: 0.4 });
    expect(book.quote("images.generate", { ...pictures, size: "1536x1024" })).toMatchObject({ upper: 0.6 });
    const prompt = "A fox runs";
    const wrapped = { model_name: "moves", prompt, image: "https://example.com/fox.png" };
    expect(book.quote("videos.imageToVideo", { ...wrapped, duration: "10", mode: "pro" })?.upper).toBe(1);
    expect(book.quote("videos.imageToVideo", wrapped)?.upper).toBe(0.25);
    expect(book.quote("moderations.create", { model: "per-request", input: "a" })?.upper).toBe(0.01);
  });

  it("quotes a video by its seconds, or by the tokens of the most pixels that it can have", () => {
    const content = [{ type: "text" as const, text: "A fox" }];
    expect(
      book.quote("videos.create", { model: "clips", content, duration: -1, resolution: "1080p" })?.upper,
    ).toBe(2.5);
    const film = book.quote("videos.create", { model: "films", content, duration: 5, ratio: "16:9" });
    const tokens = (1_280 * 720 * 121) / 1_024;
    expect(film?.upper).toBeGreaterThanOrEqual((tokens * 7) / 1e6);
    expect(film?.upper).toBeLessThan((tokens * 7.1) / 1e6);
    const unknown = book.quote("videos.create", { model: "clips", content, resolution: "8k" });
    expect(unknown).toMatchObject({ upper: Infinity, units: Infinity, missing: ["resolution"] });
  });

  it("bounds a chat by its bytes and its limit, and says what would bound it", () => {
    const body = { model: "chat", messages: MESSAGES };
    const bounded = book.quote("chat.completions.create", { ...body, max_tokens: 1_000_000, n: 2 });
    expect(bounded?.upper).toBeGreaterThan(16);
    expect(bounded?.upper).toBeLessThan(16.001);
    expect(bounded).not.toHaveProperty("missing");
    const open = book.quote("chat.completions.create", body);
    expect(open).toMatchObject({ upper: Infinity, missing: ["max_tokens", "maxOutputTokens"] });
    const image = { type: "image_url" as const, image_url: { url: "https://example.com/a.png" } };
    const seen = { ...body, max_tokens: 1, messages: [{ role: "user" as const, content: [image] }] };
    expect(book.quote("chat.completions.create", seen)).toMatchObject({ missing: ["inputImageTokens"] });
  });

  it("bounds texts that are sent one by one, each of which is rounded", () => {
    const input = Array.from({ length: 50 }, () => "a");
    expect(book.quote("embeddings.create", { model: "texts", input })?.units).toBeGreaterThanOrEqual(50);
  });

  it("has no quote for what has no price", () => {
    expect(book.quote("chat.completions.create", { model: "unknown", messages: MESSAGES })).toBeUndefined();
    expect(book.quote("audio.speech.create", { model: "chat", input: "Hello" })).toBeUndefined();
    expect(book.quote("models.list" as never, {} as never)).toBeUndefined();
  });

  it.each([
    ["up", 2],
    ["nearest", 1],
    ["none", 1.2],
  ] as const)("rounds %s", (rounding, units) => {
    const prices = priceBook({ rounding, models: { m: { characters: 0.8 } } });
    const quote = prices.quote("audio.speech.create", { model: "m", input: "abc" });
    expect(quote?.units).toBeCloseTo(units, 9);
    expect(quote?.upper).toBeCloseTo(units / 500_000, 15);
  });

  it("takes whole numbers of units for what they are", () => {
    // 0.1 × 3 and the like are a little more in binary: a unit too many.
    for (let characters = 1; characters < 2_000; characters++) {
      const prices = priceBook({ models: { m: { characters: 2.2 } } });
      const quote = prices.quote("audio.speech.create", { model: "m", input: "x".repeat(characters) });
      expect(quote?.units).toBe(Math.ceil((characters * 11) / 10));
    }
  });

  it("adds to the price of a model, in another currency and unit", () => {
    const prices = priceBook({ currency: "EUR", unitsPerCurrency: 100, models: { m: { input: 1 } } });
    prices.add({ m: { output: 2 } });
    expect(prices.priceOf("m")).toEqual({ input: 1, output: 2 });
    const body = { model: "m", messages: [], max_tokens: 1_000_000 };
    const quote = prices.quote("chat.completions.create", body);
    expect(quote).toMatchObject({ currency: "EUR", units: 201, upper: 2.01 });
  });

  it.each<[unknown, string]>([
    [{ models: { m: { inptu: 1 } } }, "did you mean input?"],
    [{ models: { m: { input: "1" } } }, "input must be a number from 0"],
    [{ models: { m: { output: -1 } } }, "output must be a number from 0"],
    [{ models: { m: { image: {} } } }, "image must be a number from 0"],
    [{ models: { m: { second: { pro: Number.NaN } } } }, "second must be a number from 0"],
    [{ rounding: "down" }, "rounding must be one of up, nearest, none"],
    [{ currency: "" }, "currency must be text"],
    [{ unitsPerCurrency: 0 }, "unitsPerCurrency must be a number above 0"],
    [{ model: {} }, "did you mean models?"],
  ])("refuses %j", (list, message) => {
    expect(() => priceBook(list as PriceList)).toThrow(ConfigurationError);
    expect(() => priceBook(list as PriceList)).toThrow(message);
  });

  it("is no list of prices", () => {
    expect(() => gatewayFor("http://127.0.0.1:9/v1", { prices: LIST as never })).toThrow("priceBook()");
  });
});
