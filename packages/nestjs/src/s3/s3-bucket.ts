import { ReadableStream } from "node:stream/web";
import { AwsClient } from "aws4fetch";
import { firstValueFrom, from, Subject, startWith, TimeoutError, timeout } from "rxjs";
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
  /** Answers that are no errors, beside those of success. */
  expected?: readonly number[];
}

type Method = "GET" | "HEAD" | "PUT" | "DELETE";

/** Of the text of an error, no more is read. */
const MAX_ERROR_BYTES = 65_536;

/** Signed requests of the objects of one bucket, each sent once. */
export class S3Bucket {
  constructor(private readonly options: S3BucketOptions) {}

  /** @throws S3FileStoreError when there is no answer, or none that was expected; what `signal` was aborted with */
  async request(method: Method, key: string, request: S3Request = {}): Promise<Response> {
    const { signal, expected = [] } = request;
    signal?.throwIfAborted();
    return this.whileMoving(method, signal, async (stop, moved) => {
      const response = await this.send(method, key, request, stop, moved);
      if (response.ok || expected.includes(response.status)) return response;
      throw await this.refusal(method, key, response, stop);
    });
  }

  /** The bytes of an answer, as they come. */
  async *read(response: Response): AsyncGenerator<Uint8Array> {
    const reader = response.body?.getReader();
    try {
      for (;;) {
        const read = reader?.read();
        if (read === undefined) return;
        const waited = from(read).pipe(timeout({ first: this.options.idleTimeoutMs }));
        const { done, value } = await firstValueFrom(waited).catch((error) => {
          throw this.unanswered("GET", error);
        });
        if (done) return;
        yield value;
      }
    } finally {
      await reader?.cancel().catch(() => undefined);
    }
  }

  private async send(
    method: Method,
    key: string,
    { headers = {}, body }: S3Request,
    signal: AbortSignal,
    moved: Subject<void>,
  ): Promise<Response> {
    const { url, region, credentials } = this.options;
    const given = await this.ask(credentials);
    // Whoever keeps files decides about another attempt.
    const client = new AwsClient({ ...given, region, service: "s3", retries: 0 });
    const path = url.pathname.endsWith("/") ? url.pathname : `${url.pathname}/`;
    try {
      return await client.fetch(new URL(path + key, url).href, {
        ...{ method, headers, signal },
        redirect: "manual",
        ...(body !== undefined && { body: streamOf(body, moved), duplex: "half" }),
      } as RequestInit);
    } catch (error) {
      throw signal.aborted ? signal.reason : this.unanswered(method, error);
    }
  }

  private async ask(credentials: S3BucketOptions["credentials"]): Promise<S3Credentials> {
    try {
      return await credentials();
    } catch (cause) {
      const message = `The function that gives the credentials of ${this.options.url.href} failed: ${String(cause)}`;
      throw new S3FileStoreError(message, { cause });
    }
  }

  /** Aborts what neither takes nor sends a byte for too long. */
  private async whileMoving<T>(
    method: Method,
    signal: AbortSignal | undefined,
    work: (stop: AbortSignal, moved: Subject<void>) => Promise<T>,
  ): Promise<T> {
    const idle = new AbortController();
    const moved = new Subject<void>();
    const watch = moved
      .pipe(startWith(undefined), timeout({ each: this.options.idleTimeoutMs }))
      .subscribe({ error: (error) => idle.abort(this.unanswered(method, error)) });
    try {
      const stop = signal === undefined ? idle.signal : AbortSignal.any([signal, idle.signal]);
      return await work(stop, moved);
    } finally {
      watch.unsubscribe();
    }
  }

  private async refusal(
    method: Method,
    key: string,
    response: Response,
    signal: AbortSignal,
  ): Promise<S3FileStoreError> {
    const { status, headers } = response;
    // The answer to HEAD has no text that could say why.
    const text =
      method === "HEAD" ? await this.reasonOf(key, signal) : await this.startOf(response).catch(() => "");
    const code = /<Code>([\w.-]{1,100})<\/Code>/.exec(text)?.[1];
    const region = headers.get("x-amz-bucket-region") ?? /<Region>([\w-]{1,100})<\/Region>/.exec(text)?.[1];
    const what = `The S3 store ${this.options.url.href} refused to ${WORDS[method]} ${key}`;
    return new S3FileStoreError(`${what}, ${explainRefusal({ status, code, region })}`, { status, code });
  }

  private async reasonOf(key: string, signal: AbortSignal): Promise<string> {
    try {
      const headers = { range: "bytes=0-0" };
      return await this.startOf(await this.send("GET", key, { headers }, signal, new Subject()));
    } catch {
      return "";
    }
  }

  private async startOf(response: Response): Promise<string> {
    let text = "";
    const decoder = new TextDecoder();
    for await (const chunk of this.read(response)) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length >= MAX_ERROR_BYTES) break;
    }
    return text.slice(0, MAX_ERROR_BYTES);
  }

  private unanswered(method: Method, cause: unknown): S3FileStoreError {
    const { url, idleTimeoutMs } = this.options;
    const why = cause instanceof TimeoutError ? `nothing for ${idleTimeoutMs} ms` : reasonOf(cause);
    const meaning =
      method === "PUT" ? " Whether it has the file now is not known: the next attempt looks." : "";
    return new S3FileStoreError(`The S3 server at ${url.origin} gave no whole answer (${why}).${meaning}`, {
      cause,
    });
  }
}

const WORDS: Record<Method, string> = { GET: "read", HEAD: "look for", PUT: "keep", DELETE: "remove" };

/** `fetch` says the same of everything, and hides why in causes. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause, message } = error;
  const { code } = (cause ?? error) as { code?: unknown };
  if (typeof code === "string") return code;
  return cause instanceof Error ? cause.message : message;
}

function streamOf(body: AsyncIterable<Uint8Array>, moved: Subject<void>) {
  async function* told() {
    for await (const chunk of body) {
      moved.next();
      yield chunk;
    }
  }
  return ReadableStream.from(told());
}
