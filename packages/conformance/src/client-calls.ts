import { ChatCompletionStream, ImageStream, ModelGateway, type SpeechResult } from "@model-gateway/core";

export const API_KEY = "sk-conformance-0123456789";

/** Finds `chat.completions.create` on a client. Throws when the client has no such call. */
export function findCall(gateway: ModelGateway, name: string): (...args: unknown[]) => PromiseLike<unknown> {
  const path = name.split(".");
  const method = path.pop() as string;
  let owner: unknown = gateway;
  for (const step of path) owner = (owner as Record<string, unknown>)[step];
  const call = (owner as Record<string, unknown> | undefined)?.[method];
  if (typeof call !== "function") throw new Error(`The client has no call ${name}.`);
  return call.bind(owner);
}

/** Makes a call; a stream is read to its end and gives the whole answer or its events, bytes give their Base64. */
export async function runCall(
  gateway: ModelGateway,
  name: string,
  args: readonly unknown[],
): Promise<unknown> {
  const result = await findCall(gateway, name)(...args.map(withFiles));
  if (result instanceof ImageStream) return collect(result);
  if (result instanceof ChatCompletionStream) return result.finalCompletion();
  if (!isSpeech(result)) return result;
  const base64 = Buffer.from(await result.bytes()).toString("base64");
  return { contentType: result.contentType, base64 };
}

/** The arguments with bytes where the ledger has files: `{ "$file": Base64, "mediaType": … }`. */
function withFiles(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withFiles);
  if (typeof value !== "object" || value === null) return value;
  const { $file: base64, ...rest } = value as Record<string, unknown>;
  if (typeof base64 === "string") return { ...rest, data: Buffer.from(base64, "base64") };
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withFiles(member)]));
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

function isSpeech(result: unknown): result is SpeechResult {
  return typeof result === "object" && result !== null && "contentType" in result && "bytes" in result;
}

/** A client whose every request is answered by the function given. */
export function clientAnswering(
  answer: (url: string, init?: RequestInit) => Response | Promise<Response>,
): ModelGateway {
  return new ModelGateway({
    apiKey: API_KEY,
    baseURL: "https://gateway.example/v1",
    endpoints: { specialized: "https://gateway.example/specialized/v1" },
    maxRetries: 0,
    fetch: async (url, init) => answer(url, init),
  });
}
