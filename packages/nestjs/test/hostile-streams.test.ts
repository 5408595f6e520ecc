import { APIError, StreamInterruptedError } from "@model-gateway/core";
import {
  CHAT_STREAMS,
  type ChatStream,
  dataOf,
  ENDINGS,
  type Ending,
  IMAGE_STREAMS,
  type ImageStreamScenario,
  PACES,
  type Pace,
  type ReplayOptions,
  type ScenarioServer,
  startScenarioServer,
} from "@model-gateway/scenario-server";
import { Controller, type INestApplication, Inject, Module, Param, Sse } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import type { Observable } from "rxjs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ChatService,
  chatEvents,
  getModelGatewayToken,
  ImagesService,
  imageEvents,
  ModelGatewayModule,
} from "../src/index.js";
import { readEvents } from "./read-events.js";

// Whatever the pace at which a stream arrives, an application gets the same from it, and knows whether it is whole.

const CHAT = { model: "m", messages: [{ role: "user" as const, content: "x" }] };
const IMAGE = { model: "m", prompt: "x" };

type Fields = Record<string, unknown>;

interface Outcome {
  values: unknown[];
  error?: unknown;
}

/** What a browser is sent. */
@Controller()
class StreamsController {
  constructor(
    @Inject("SERVICES") private readonly services: Map<string, { chat: ChatService; images: ImagesService }>,
  ) {}

  @Sse("chat/:pace")
  chat(@Param("pace") pace: Pace) {
    return this.of(pace).chat.stream$(CHAT).pipe(chatEvents());
  }

  @Sse("images/:pace")
  images(@Param("pace") pace: Pace) {
    return this.of(pace).images.stream$(IMAGE).pipe(imageEvents());
  }

  private of(pace: Pace) {
    const services = this.services.get(pace);
    if (services === undefined) throw new Error(`There is no instance ${pace}.`);
    return services;
  }
}

let server: ScenarioServer;
let app: INestApplication;
let url: string;
const services = new Map<string, { chat: ChatService; images: ImagesService }>();

beforeAll(async () => {
  server = await startScenarioServer();
  class AppModule {}
  Module({
    // An instance of its own for every pace: which one a request came from is told by its path.
    imports: PACES.map((name) =>
      ModelGatewayModule.forRoot({
        name,
        apiKey: "sk-test",
        baseURL: `${server.origin}/${name}/v1`,
        maxRetries: 0,
      }),
    ),
    controllers: [StreamsController],
    providers: [{ provide: "SERVICES", useValue: services }],
  })(AppModule);
  app = await NestFactory.create(AppModule, {
    logger: false,
    abortOnError: false,
    forceCloseConnections: true,
  });
  for (const name of PACES) {
    services.set(name, {
      chat: app.get<ChatService>(getModelGatewayToken(name, ChatService)),
      images: app.get<ImagesService>(getModelGatewayToken(name, ImagesService)),
    });
  }
  await app.listen(0, "127.0.0.1");
  url = await app.getUrl();
});

afterAll(async () => {
  await app.close();
  await server.close();
});

function replay(options: Omit<ReplayOptions, "pace">): void {
  for (const pace of PACES) {
    for (const path of ["chat/completions", "images/generations", "images/edits"]) {
      server.replay({ ...options, seed: 3, pace, path: `/${pace}/v1/${path}` });
    }
  }
}

function collect(values$: Observable<unknown>): Promise<Outcome> {
  return new Promise((resolve) => {
    const values: unknown[] = [];
    values$.subscribe({
      next: (value) => void values.push(value),
      error: (error: unknown) => resolve({ values, error }),
      complete: () => resolve({ values }),
    });
  });
}

/** Errors compare by what they say, but for the address in their message. */
function plain({ values, error }: Outcome): unknown {
  const { name, kind, reason, status, code, retryable, maybeProcessed, partial } = (error ?? {}) as Fields;
  return JSON.parse(
    JSON.stringify({
      values,
      error: { name, kind, reason, status, code, retryable, maybeProcessed, partial },
    }),
  );
}

async function atEveryPace(read: (pace: Pace) => Promise<Outcome>): Promise<Outcome> {
  const outcomes = await Promise.all(PACES.map(read));
  for (const [index, outcome] of outcomes.entries()) {
    expect(plain(outcome), `at pace ${PACES[index]}`).toEqual(plain(outcomes[0] as Outcome));
  }
  return outcomes[0] as Outcome;
}

const servicesOf = (pace: Pace) => services.get(pace) as { chat: ChatService; images: ImagesService };
const isWhole = (ending: Ending) => ending === "proper" || ending === "no-marker";

function byName<T extends { name: string }>(scenarios: readonly T[]): Array<[name: string, scenario: T]> {
  return scenarios.map((scenario) => [scenario.name, scenario]);
}

describe.each(byName(CHAT_STREAMS))("chat.stream$: %s", (_name, { events, means }: ChatStream) => {
  it.each(ENDINGS)("ending %s is the same at every pace", async (ending) => {
    replay({ events, ending });
    const { values, error } = await atEveryPace((pace) => collect(servicesOf(pace).chat.stream$(CHAT)));
    expect(values).toEqual(dataOf(events, ending));
    if (isWhole(ending) && means.error === undefined) expect(error).toBeUndefined();
    else if (isWhole(ending)) expect(error).toBeInstanceOf(APIError);
    else expect(error).toBeInstanceOf(StreamInterruptedError);
  });

  it.each(ENDINGS)(
    "ending %s is the same for a browser, which is told of an end only where there is one",
    async (ending) => {
      replay({ events, ending });
      const { values } = await atEveryPace((pace) => readSse(`${url}/chat/${pace}`));
      const sent = dataOf(events, ending);
      const received = values as Array<{ type: string; data: string }>;
      expect(received.slice(0, sent.length).map(({ data }) => JSON.parse(data))).toEqual(sent);
      const after = received.slice(sent.length).map(({ type }) => type);
      expect(after).toEqual(isWhole(ending) && means.error === undefined ? ["done"] : ["error"]);
    },
  );
});

describe.each(byName(IMAGE_STREAMS))("images.stream$: %s", (_name, scenario: ImageStreamScenario) => {
  const { events, means, kind } = scenario;

  it.each(ENDINGS)("ending %s is the same at every pace", async (ending) => {
    replay({ events, ending });
    const { values, error } = await atEveryPace((pace) => {
      const { images } = servicesOf(pace);
      const pixel = Uint8Array.of(0x89, 0x50, 0x4e, 0x47);
      return collect(
        kind === "edit" ? images.editStream$({ ...IMAGE, images: [pixel] }) : images.stream$(IMAGE),
      );
    });
    const completed = (values as Fields[]).filter(({ type }) => type === "completed");
    if (!isWhole(ending)) {
      expect(completed).toEqual([]);
      expect(error).toBeInstanceOf(StreamInterruptedError);
      expect(error).toMatchObject({ maybeProcessed: true });
      return;
    }
    expect(completed).toHaveLength(means.images.length);
    if (means.error === undefined) expect(error).toBeUndefined();
    else expect(error).toBeInstanceOf(APIError);
  });

  it.each(ENDINGS)("ending %s is the same for a browser", async (ending) => {
    replay({ events, ending });
    const { values } = await atEveryPace((pace) => readSse(`${url}/images/${pace}`));
    const last = (values as Array<{ type: string }>).at(-1)?.type;
    expect(last).toBe(isWhole(ending) && means.error === undefined ? "done" : "error");
  });
});

/** What an `EventSource` is given; keys of events that arrive one after the other differ in nothing else. */
async function readSse(address: string): Promise<Outcome> {
  const response = await fetch(address);
  if (!response.ok) {
    // An error that is there before Nest has sent the head of its answer becomes a status, which ends an EventSource too.
    const { message } = (await response.json()) as { message: string };
    return { values: [{ type: "error", data: message }] };
  }
  const values: unknown[] = [];
  // Without ids: where the head was sent before the error, Nest numbers it.
  for await (const { type, data } of readEvents(response)) values.push({ type, data });
  return { values };
}
