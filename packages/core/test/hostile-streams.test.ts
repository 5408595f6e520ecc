import {
  CHAT_STREAMS,
  type ChatMeaning,
  type ChatStream,
  dataOf,
  ENDINGS,
  type Ending,
  FRAMINGS,
  HEAD,
  IMAGE_STREAMS,
  type ImageStreamScenario,
  PACES,
  type Pace,
  type ReplayOptions,
  type ScenarioServer,
  startScenarioServer,
} from "@model-gateway/scenario-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  APIError,
  type ChatCompletion,
  type ChatCompletionStream,
  type ImageStream,
  type ModelGateway,
  type ModelGatewayOptions,
  StreamInterruptedError,
} from "../src/index.js";
import { gatewayFor, TRANSPORTS } from "./gateways.js";

// Whatever the pace at which the bytes of a stream arrive, what a reader gets is the same; and what it gets says
// whether the answer is whole.

const CHAT = { model: "m", messages: [{ role: "user" as const, content: "x" }], stream: true as const };
const ONE_PIXEL = Uint8Array.of(0x89, 0x50, 0x4e, 0x47);

type Fields = Record<string, unknown>;

let server: ScenarioServer;
beforeAll(async () => {
  server = await startScenarioServer();
});
afterAll(() => server.close());

/** For `describe.each`, which cuts long names short when it is given objects. */
function byName<T extends { name: string }>(scenarios: readonly T[]): Array<[name: string, scenario: T]> {
  return scenarios.map((scenario) => [scenario.name, scenario]);
}

/** Serves a stream at one pace, and gives a client that has no other. */
function gatewayAt(pace: Pace, replay: Omit<ReplayOptions, "pace">, options: Partial<ModelGatewayOptions>) {
  for (const path of ["chat/completions", "images/generations", "images/edits"]) {
    server.replay({ ...replay, pace, path: `/${pace}/v1/${path}` });
  }
  return gatewayFor(`${server.origin}/${pace}/v1`, { maxRetries: 0, ...options });
}

/** What a reader got, and how it ended. */
interface Outcome {
  items: unknown[];
  error?: unknown;
}

async function collect(items: AsyncIterable<unknown>): Promise<Outcome> {
  const outcome: Outcome = { items: [] };
  try {
    for await (const item of items) outcome.items.push(item);
  } catch (error) {
    outcome.error = error;
  }
  return outcome;
}

/** The outcomes of one reading at every pace, in the order of `PACES`. */
function atEveryPace(
  replay: Omit<ReplayOptions, "pace">,
  options: Partial<ModelGatewayOptions>,
  read: (gateway: ModelGateway) => Promise<Outcome>,
): Promise<Outcome[]> {
  return Promise.all(PACES.map((pace) => read(gatewayAt(pace, { seed: 7, ...replay }, options))));
}

/** An error as far as it can be compared: its message may name the address. */
function plain(error: unknown): Fields | undefined {
  if (error === undefined) return undefined;
  const { name, kind, reason, status, code, retryable, maybeProcessed, partial, timeline } = error as Fields;
  const attempts = (timeline as unknown[]).length;
  return { name, kind, reason, status, code, retryable, maybeProcessed, partial, attempts };
}

function expectEqual(outcomes: readonly Outcome[]): Outcome {
  const [whole, ...others] = outcomes.map(({ items, error }) => ({ items, error: plain(error) }));
  for (const [index, other] of others.entries()) expect(other, `at pace ${PACES[index + 1]}`).toEqual(whole);
  return outcomes[0] as Outcome;
}

/** A completion reduced to what the scenarios speak of. */
function meaningOf({
  choices,
}: ChatCompletion): Pick<ChatMeaning, "text" | "reasoning" | "refusal" | "toolCalls"> {
  const message = (choices[0]?.message ?? {}) as Fields;
  const { content, refusal, tool_calls: calls } = message;
  const parts = (Array.isArray(content) ? content : [{ type: "text", text: content ?? "" }]) as Fields[];
  const textOf = (list: unknown) => (list as Fields[]).map(({ text }) => text).join("");
  const thinking = parts
    .flatMap(({ thinking }) => (thinking === undefined ? [] : [textOf(thinking)]))
    .join("");
  const reasoning = String(message["reasoning_content"] ?? message["reasoning"] ?? "") + thinking;
  return {
    text: textOf(parts.filter(({ type }) => type === "text")),
    ...(reasoning === "" ? {} : { reasoning }),
    ...(refusal ? { refusal: String(refusal) } : {}),
    ...(calls === undefined
      ? {}
      : {
          toolCalls: (calls as ChatCompletion["choices"][0]["message"]["tool_calls"] & object).map(
            ({ id, function: { name, arguments: args } }) => ({
              id,
              name,
              arguments: args === "" ? {} : JSON.parse(args),
            }),
          ),
        }),
  };
}

function expectMeaning(completion: ChatCompletion, means: ChatMeaning): void {
  const { text, reasoning, refusal, toolCalls, finishReason, usage, secondText, message, choice, head } =
    means;
  const said = { text, reasoning, refusal, toolCalls };
  expect(meaningOf(completion)).toEqual(
    Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)),
  );
  const [first, second] = completion.choices;
  expect(first?.finish_reason).toBe(finishReason);
  expect(first?.message).toMatchObject(message ?? {});
  expect(first).toMatchObject(choice ?? {});
  expect(second?.message.content).toBe(secondText);
  expect(completion.usage).toEqual(usage);
  expect(completion).toMatchObject({ ...HEAD, object: "chat.completion", ...head });
}

/** What a stream that was cut off had said: a beginning of the whole. */
function expectBeginning(partial: unknown, { text, error }: ChatMeaning): void {
  if (partial === undefined) return;
  const said = (partial as ChatCompletion).choices[0]?.message.content ?? "";
  if (typeof said === "string") expect(text.startsWith(said)).toBe(true);
  if (error === undefined) {
    for (const { finish_reason: reason } of (partial as ChatCompletion).choices) expect(reason).toBeNull();
  }
}

const READINGS: Record<string, (stream: ChatCompletionStream) => Promise<Outcome>> = {
  chunks: collect,
  "finalCompletion()": (stream) =>
    stream.finalCompletion().then(
      (completion) => ({ items: [completion] }),
      (error: unknown) => ({ items: [], error }),
    ),
  "toReadableStream()": async (stream) => {
    const { items, error } = await collect(
      stream
        .toReadableStream()
        .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>),
    );
    const lines = items.join("").split("\n").slice(0, -1);
    return { items: lines.map((line) => JSON.parse(line)), error };
  },
};

function readChat(reading: keyof typeof READINGS) {
  return async (gateway: ModelGateway): Promise<Outcome> => {
    try {
      return (await READINGS[reading]?.(await gateway.chat.completions.create(CHAT))) as Outcome;
    } catch (error) {
      return { items: [], error };
    }
  };
}

/** The outcome that an ending calls for. */
function expectChat(
  reading: string,
  { events, means }: ChatStream,
  ending: Ending,
  { items, error }: Outcome,
): void {
  if (reading !== "finalCompletion()") expect(items).toEqual(dataOf(events, ending));
  if (ending === "proper" || ending === "no-marker") {
    if (means.error === undefined) {
      if (error !== undefined) throw error;
      if (reading === "finalCompletion()") expectMeaning(items[0] as ChatCompletion, means);
      return;
    }
    expect(error).toBeInstanceOf(APIError);
    expect((error as Error).message).toContain(means.error.message);
    expect(error).toMatchObject({
      status: 200,
      code: means.error.code,
      partial: { choices: [{ message: { content: means.text } }] },
    });
    expect((error as Error).constructor.name).toBe(
      means.error.status === 429 ? "RateLimitError" : "InternalServerError",
    );
    return;
  }
  expect(error).toBeInstanceOf(StreamInterruptedError);
  const { reason, partial } = error as StreamInterruptedError;
  if (ending === "no-finish") expect(reason).toBe("unfinished");
  // The runtime does not always tell a connection that was closed from one that was reset.
  else expect(ending === "fin" ? ["closed", "reset"] : ["reset"]).toContain(reason);
  expectBeginning(partial, means);
}

describe.each(TRANSPORTS)("over %s", (_transport, transport) => {
  describe.each(byName(CHAT_STREAMS))("chat: %s", (_name, scenario) => {
    it.each(ENDINGS)("ending %s means the same at every pace, however it is read", async (ending) => {
      const replay = { events: scenario.events, ending };
      for (const reading of Object.keys(READINGS)) {
        const outcome = expectEqual(await atEveryPace(replay, transport, readChat(reading)));
        expectChat(reading, scenario, ending, outcome);
      }
    });
  });

  describe("chat", () => {
    it.each(FRAMINGS)("framed as %s is whole only when it says so itself", async (framing) => {
      const [scenario] = CHAT_STREAMS as [ChatStream];
      for (const ending of ENDINGS) {
        const replay = { events: scenario.events, ending, framing };
        const outcome = expectEqual(await atEveryPace(replay, transport, readChat("finalCompletion()")));
        // Where the end of the connection ends the body, the runtime may take any end for a good one.
        if (ending === "fin" || ending === "rst")
          expect(outcome.error).toBeInstanceOf(StreamInterruptedError);
        else expectChat("finalCompletion()", scenario, ending, outcome);
      }
    });

    it.each([1, 2, 3, 4, 5, 6, 7, 8])("cut at random by seed %i means the same", async (seed) => {
      for (const scenario of CHAT_STREAMS) {
        const gateway = gatewayAt("cuts", { events: scenario.events, seed }, transport);
        const outcome = await readChat("finalCompletion()")(gateway);
        expectChat("finalCompletion()", scenario, "proper", outcome);
      }
    });

    it("of two choices is cut as long as one of them has not finished", async () => {
      const scenario = CHAT_STREAMS.find(({ name }) => name === "two choices") as ChatStream;
      const last = scenario.events.findLastIndex(({ finishes }) => finishes);
      for (const events of [scenario.events.slice(0, last), scenario.events.toSpliced(last, 1)]) {
        const { error } = expectEqual(
          await atEveryPace({ events }, transport, readChat("finalCompletion()")),
        );
        expect(error).toBeInstanceOf(StreamInterruptedError);
        expect((error as StreamInterruptedError).partial).toMatchObject({
          choices: [{ finish_reason: "stop" }, { finish_reason: null }],
        });
      }
    });

    it("that never finishes is whole where the client says that a route leaves the finish out", async () => {
      for (const scenario of CHAT_STREAMS.filter(({ means }) => means.error === undefined)) {
        const options = { ...transport, requireFinishReason: false };
        const replay = { events: scenario.events, ending: "no-finish" as const };
        const { items, error } = expectEqual(
          await atEveryPace(replay, options, readChat("finalCompletion()")),
        );
        expect(error, scenario.name).toBeUndefined();
        const [completion] = items as [ChatCompletion];
        for (const choice of completion.choices) expect(choice.finish_reason, scenario.name).toBeNull();
      }
    });

    it("that is cut is an interruption all the same where the finish may be missing", async () => {
      const [{ events }] = CHAT_STREAMS as [ChatStream];
      const options = { ...transport, requireFinishReason: false };
      for (const ending of ["fin", "rst"] as const) {
        const { error } = expectEqual(await atEveryPace({ events, ending }, options, readChat("chunks")));
        expect(error).toBeInstanceOf(StreamInterruptedError);
      }
    });
  });

  describe.each(byName(IMAGE_STREAMS))("images: %s", (_name, scenario) => {
    it.each(ENDINGS)("ending %s mean the same at every pace", async (ending) => {
      const outcomes = await atEveryPace(
        { events: scenario.events, ending },
        transport,
        readImages(scenario),
      );
      expectImages(scenario, ending, expectEqual(outcomes));
    });
  });

  it("images that came before a cut are delivered", async () => {
    const scenario = IMAGE_STREAMS.find(
      ({ name }) => name === "a set of images and its usage",
    ) as ImageStreamScenario;
    const events = scenario.events.slice(0, 1);
    for (const framing of FRAMINGS) {
      const outcome = expectEqual(await atEveryPace({ events, framing }, transport, readImages(scenario)));
      expect(outcome.error).toBeUndefined();
      expect(outcome.items).toMatchObject([{ type: "completed", url: "https://files.example/0.jpeg" }]);
    }
  });
});

function readImages({ kind }: ImageStreamScenario) {
  return async ({ images }: ModelGateway): Promise<Outcome> => {
    let stream: ImageStream;
    try {
      stream =
        kind === "edit"
          ? await images.editStream({ model: "m", prompt: "x", images: [ONE_PIXEL] })
          : await images.stream({ model: "m", prompt: "x" });
    } catch (error) {
      return { items: [], error };
    }
    const { items, error } = await collect(stream);
    return { items: (items as Fields[]).map(withPlainImage), error };
  };
}

/** Images download themselves; their content and address are enough to compare. */
function withPlainImage({ image, ...event }: Fields): Fields {
  if (image === undefined) return event;
  const { base64, url } = image as Fields;
  return { ...event, base64, url };
}

function expectImages(
  { events: sent, means }: ImageStreamScenario,
  ending: Ending,
  { items, error }: Outcome,
): void {
  const events = items as Fields[];
  const ofType = (wanted: string) => events.filter(({ type }) => type === wanted);
  expect(ofType("partial")).toMatchObject([...(means.partials ?? [])]);
  if (ending === "proper" || ending === "no-marker") {
    expect(ofType("completed")).toMatchObject([...means.images]);
    expect(ofType("completed")).toHaveLength(means.images.length);
    expect(ofType("failed")).toMatchObject(
      (means.failed ?? []).map(({ index, message }) => ({ index, error: { message } })),
    );
    if (means.error === undefined) {
      if (error !== undefined) throw error;
      expect(events.findLast(({ usage }) => usage !== undefined)?.["usage"]).toEqual(means.usage);
      return;
    }
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ status: 200, code: means.error.code, maybeProcessed: true });
    return;
  }
  expect(ofType("completed")).toEqual([]);
  expect(error).toBeInstanceOf(StreamInterruptedError);
  expect(error).toMatchObject({ maybeProcessed: true, retryable: false });
  const { reason } = error as StreamInterruptedError;
  const marked = sent.some(({ marker }) => marker);
  if (ending === "no-finish") expect(reason).toBe(marked ? "unfinished" : "closed");
  else expect(ending === "fin" ? ["closed", "reset"] : ["reset"]).toContain(reason);
}
