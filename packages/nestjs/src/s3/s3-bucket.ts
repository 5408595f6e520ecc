import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { pipeline } from "node:stream/promises";
import { AwsV4Signer } from "aws4fetch";
import { firstValueFrom, from, fromEvent, merge, of, TimeoutError, timeout } from "rxjs";
import { explainRefusal } from "./explain-refusal.js";
import { S3FileStoreError } from "./s3-file-store-error.js";

/** Who asks. */
export interface S3Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  /** Of credentials that are given for a time. */
  sessionToken?: string;
}

/** What a bucket is asked with. */
export interface S3BucketOptions {
  url: URL;
  region: string;
  credentials: () => S3Credentials | Promise<S3Credentials>;
  idleTimeoutMs: number;
}

/** A request of one object. */
export interface S3Request {
  headers?: Record<string, string>;
  /** Sent as it is read. */
  body?: AsyncIterable<Uint8Array>;
  signal?: AbortSignal | undefined;
  /** Statuses that are no errors, beside those of success. */
  expected?: readonly number[];
}

type Method = "GET" | "HEAD" | "PUT" | "DELETE";

/** Of the text of an error, no more is read. */
const MAX_ERROR_BYTES = 65_536;
/** A server that does not say that it wants the body is sent it after so long. */
const CONTINUE_MS = 1_000;

/**
 * Signed requests of the objects of one bucket, each sent once. Over Node's own client, because `fetch` cannot wait for a server
 * that refuses a large file before it is sent, and loses aborts of a long upload to the garbage collector.
 */
export class S3Bucket {
  constructor(private readonly options: S3BucketOptions) {}

  /**
   * Resolves with an answer whose body is still to be read.
   *
   * @throws S3FileStoreError when there is no answer, or none that was expected; what `signal` was aborted with
   */
  async request(method: Method, key: string, request: S3Request = {}): Promise<IncomingMessage> {
    const { signal, expected = [] } = request;
    const answer = await this.send(method, key, request);
    const { statusCode: status = 0 } = answer;
    if ((status >= 200 && status < 300) || expected.includes(status)) return answer;
    throw await this.refusal(method, key, answer, signal);
  }

  /** The bytes of an answer, as they come. */
  async *read(answer: IncomingMessage): AsyncGenerator<Uint8Array> {
    const chunks: AsyncIterator<Uint8Array> = answer[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = from(chunks.next()).pipe(timeout({ first: this.options.idleTimeoutMs }));
        const { done, value } = await firstValueFrom(next).catch((error) => {
          throw this.unanswered("GET", error);
        });
        if (done) return;
        yield value;
      }
    } finally {
      answer.destroy();
    }
  }

  private async send(
    method: Method,
    key: string,
    { headers = {}, body, signal }: S3Request,
  ): Promise<IncomingMessage> {
    const { url, region, idleTimeoutMs } = this.options;
    const path = url.pathname.endsWith("/") ? url.pathname : `${url.pathname}/`;
    const target = new URL(path + key, url);
    const credentials = await this.credentials();
    const signer = new AwsV4Signer({
      ...credentials,
      method,
      url: target.href,
      headers,
      region,
      service: "s3",
    });
    const signed = Object.fromEntries((await signer.sign()).headers);
    signal?.throwIfAborted();
    const open = url.protocol === "https:" ? httpsRequest : httpRequest;
    const outgoing = open(target, {
      method,
      headers: { ...signed, ...(body !== undefined && { expect: "100-continue" }) },
      ...(signal !== undefined && { signal }),
    });
    outgoing.setTimeout(idleTimeoutMs, () => outgoing.destroy(new TimeoutError()));
    try {
      const answer = await exchange(outgoing, body);
      // From here on it depends on whoever reads.
      outgoing.setTimeout(0);
      // A body that nobody wanted would hold the connection.
      answer.once("close", () => outgoing.writableFinished || outgoing.destroy());
      return answer;
    } catch (error) {
      outgoing.destroy();
      throw signal?.aborted ? signal.reason : this.unanswered(method, error);
    }
  }

  private async credentials(): Promise<S3Credentials> {
    try {
      return await this.options.credentials();
    } catch (cause) {
      const message = `The function that gives the credentials of ${this.options.url.href} failed: ${String(cause)}`;
      throw new S3FileStoreError(message, { cause });
    }
  }

  private async refusal(
    method: Method,
    key: string,
    answer: IncomingMessage,
    signal: AbortSignal | undefined,
  ): Promise<S3FileStoreError> {
    const { statusCode: status = 0, headers } = answer;
    // The answer to HEAD has no text that could say why.
    const telling =
      method === "HEAD"
        ? this.send("GET", key, { headers: { range: "bytes=0-0" }, signal })
        : Promise.resolve(answer);
    const text = await telling.then((it) => this.startOf(it)).catch(() => "");
    const code = /<Code>([\w.-]{1,100})<\/Code>/.exec(text)?.[1];
    const told = headers["x-amz-bucket-region"] ?? /<Region>([\w-]{1,100})<\/Region>/.exec(text)?.[1];
    const region = told === undefined ? undefined : String(told);
    const what = `The S3 store ${this.options.url.href} refused to ${WORDS[method]} ${key}`;
    return new S3FileStoreError(`${what}, ${explainRefusal({ status, code, region })}`, { status, code });
  }

  private async startOf(answer: IncomingMessage): Promise<string> {
    let text = "";
    const decoder = new TextDecoder();
    for await (const chunk of this.read(answer)) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length >= MAX_ERROR_BYTES) break;
    }
    return text.slice(0, MAX_ERROR_BYTES);
  }

  private unanswered(method: Method, cause: unknown): S3FileStoreError {
    const { url, idleTimeoutMs } = this.options;
    const { code, message } = cause as { code?: unknown; message?: unknown };
    const why = cause instanceof TimeoutError ? `nothing for ${idleTimeoutMs} ms` : String(code ?? message);
    const meaning =
      method === "PUT" ? " Whether it has the file now is not known: the next attempt looks." : "";
    return new S3FileStoreError(`The S3 server at ${url.origin} gave no whole answer (${why}).${meaning}`, {
      cause,
    });
  }
}

const WORDS: Record<Method, string> = { GET: "read", HEAD: "look for", PUT: "keep", DELETE: "remove" };

/** Sends a request, and gives its answer, which may come before all of the body is sent. */
async function exchange(
  outgoing: ClientRequest,
  body: AsyncIterable<Uint8Array> | undefined,
): Promise<IncomingMessage> {
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once("response", resolve);
    // Also what comes after the answer, which tells its reader.
    outgoing.on("error", reject);
  });
  if (body === undefined) {
    outgoing.end();
    return answer;
  }
  outgoing.flushHeaders();
  const wanted = merge(fromEvent(outgoing, "continue"), from(answer)).pipe(
    timeout({ first: CONTINUE_MS, with: () => of(undefined) }),
  );
  if ((await firstValueFrom(wanted)) !== undefined) return answer;
  const sent = pipeline(body, outgoing).then(() => answer);
  // The server's word is worth more than how the sending ended.
  return Promise.race([answer, sent.catch(() => answer)]);
}
