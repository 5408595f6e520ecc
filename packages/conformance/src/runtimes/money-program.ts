import { ModelGateway, type ModelGatewayOptions } from "@model-gateway/core";

// Runs inside every runtime: nothing here may need Node.

/** What a program is told; plain JSON. */
export interface MoneyConfig {
  /** Base addresses by way and call: connections of one never serve another. */
  servers: Record<string, Record<string, string>>;
  /** General addresses where nobody can be reached, by way; the server is then the other address. */
  unreachable: Record<string, string>;
  /** Calls go over the `fetch` of the runtime although it has something better. */
  overFetch: boolean;
}

/** What a call came to; plain JSON. */
export interface MoneyOutcome {
  way: string;
  label: string;
  error?: string;
  code?: string;
  maybeProcessed?: boolean;
  retryable?: boolean;
  /** Attempts that core says it has made. */
  attempts: number;
}

const PIXEL = Uint8Array.of(0x89, 0x50, 0x4e, 0x47);

/** Every kind of paid call, and one that may be repeated. */
export const CALLS: Record<string, (gateway: ModelGateway) => PromiseLike<unknown> & WithResponse> = {
  image: (gateway) => gateway.images.generate({ model: "m", prompt: "x" }),
  edit: (gateway) => gateway.images.edit({ model: "m", prompt: "x", images: [PIXEL] }),
  "edit-stream-source": (gateway) =>
    gateway.images.edit({ model: "m", prompt: "x", images: [sourceOf(PIXEL)] }),
  "image-chat": (gateway) => gateway.images.generateThroughChat({ model: "m", prompt: "x" }),
  speech: (gateway) => gateway.audio.speech.create({ model: "m", input: "x", voice: "v" }),
  video: (gateway) => gateway.videos.create({ model: "m", content: [{ type: "text", text: "x" }] }),
  "image-stream": (gateway) => gateway.images.stream({ model: "m", prompt: "x" }),
  chat: (gateway) =>
    gateway.chat.completions.create({ model: "m", messages: [{ role: "user", content: "x" }] }),
};

function sourceOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}

/** Makes every call on its server, on a connection that has served a request before. */
export async function runMoneyProgram(config: MoneyConfig): Promise<MoneyOutcome[]> {
  const outcomes: MoneyOutcome[] = [];
  for (const [way, urls] of Object.entries(config.servers)) {
    const general = config.unreachable[way];
    for (const [label, url] of Object.entries(urls)) {
      const call = CALLS[label] as (typeof CALLS)[string];
      if (general !== undefined) {
        const route = way.endsWith("-failover") ? "failover" : "general";
        const options = {
          baseURL: general,
          endpoints: { cdn: url },
          route,
          maxRetries: route === "failover" ? 1 : 0,
        } as const;
        outcomes.push(await outcomeOf(way, label, call(create(config, options))));
        continue;
      }
      const gateway = create(config, { baseURL: url });
      // Makes the connection warm.
      await gateway.models.list();
      // Pools take a connection back in their own time; a server that closes an idle one has done so too, mostly.
      await new Promise((resolve) => setTimeout(resolve, 10));
      outcomes.push(await outcomeOf(way, label, call(gateway)));
    }
  }
  return outcomes;
}

function create({ overFetch }: MoneyConfig, options: ModelGatewayOptions): ModelGateway {
  return new ModelGateway({
    apiKey: "sk-money",
    dangerouslyAllowBrowser: true,
    ...(overFetch ? { fetch: (input: string, init?: RequestInit) => fetch(input, init) } : {}),
    ...options,
  });
}

interface WithResponse {
  withResponse?: () => Promise<{ data: unknown; attempts: number }>;
}

async function outcomeOf(
  way: string,
  label: string,
  call: PromiseLike<unknown> & WithResponse,
): Promise<MoneyOutcome> {
  try {
    const answer = await call.withResponse?.();
    const data = (answer?.data ?? {}) as { bytes?: () => Promise<unknown> } & Partial<AsyncIterable<unknown>>;
    await data.bytes?.();
    if (Symbol.asyncIterator in data) for await (const _event of data as AsyncIterable<unknown>);
    return { way, label, attempts: answer?.attempts ?? -1 };
  } catch (thrown) {
    const error = thrown as Record<string, unknown> & { timeline?: unknown[] };
    return {
      way,
      label,
      error: String(error["name"]),
      code: error["code"] === undefined ? undefined : String(error["code"]),
      maybeProcessed: error["maybeProcessed"] as boolean,
      retryable: error["retryable"] as boolean,
      attempts: error.timeline?.length ?? -1,
    };
  }
}
