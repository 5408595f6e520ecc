import {
  errorBody,
  type RecordedRequest,
  type ScriptedServer,
  sendJSON,
  startServer,
} from "./scripted-server.js";

/** How the server behaves. */
export interface EmbeddingServerOptions {
  /** A request that holds such a text is answered 400, as a whole. */
  isPoisoned?: (text: string) => boolean;
  /** More texts than these are answered with `tooMany`. */
  maxTexts?: number;
  /** Status of the answer to too many texts. Default 400. */
  tooMany?: number;
  /** Answers in place of the server; undefined for the usual. */
  instead?: (request: RecordedRequest, count: number) => { status: number; body: unknown } | undefined;
}

export interface EmbeddingServer extends ScriptedServer {
  /** How often each text was embedded, and so paid for. */
  paid: Map<string, number>;
  /** Texts of each request, whether it was refused or not. */
  asked: string[][];
}

/** The vector of a text: numbers that 32 bits cannot hold exactly. */
export function vectorOf(text: string): number[] {
  let sum = 0;
  for (let index = 0; index < text.length; index++) sum = (sum * 31 + text.charCodeAt(index)) % 1_000_003;
  return [sum / 1_000_003, text.length / 3, 0.1];
}

/** A server that embeds, counts what is paid for, and takes a request as a whole or not at all. */
export async function startEmbeddingServer(options: EmbeddingServerOptions = {}): Promise<EmbeddingServer> {
  const { isPoisoned = () => false, maxTexts = Number.POSITIVE_INFINITY, tooMany = 400, instead } = options;
  const paid = new Map<string, number>();
  const asked: string[][] = [];
  const server = await startServer((request, response, count) => {
    const { input, model } = request.json as { input: string | string[]; model: string };
    const texts = typeof input === "string" ? [input] : input;
    asked.push(texts);
    const other = instead?.(request, count);
    if (other !== undefined) return sendJSON(response, other.body, other.status);
    if (texts.length > maxTexts) return sendJSON(response, errorBody(`at most ${maxTexts} texts`), tooMany);
    const bad = texts.findIndex(isPoisoned);
    if (bad !== -1) return sendJSON(response, errorBody("a text is too long"), 400);
    for (const text of texts) paid.set(text, (paid.get(text) ?? 0) + 1);
    const data = texts.map((text, index) => ({ index, embedding: vectorOf(text) }));
    const usage = { prompt_tokens: texts.length, total_tokens: texts.length };
    sendJSON(response, { object: "list", model, data, usage });
  });
  return Object.assign(server, { paid, asked });
}
