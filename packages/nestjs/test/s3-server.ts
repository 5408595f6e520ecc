import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** An object of the bucket. */
export interface StoredObject {
  bytes: Buffer;
  headers: Record<string, string>;
}

/** Answers instead of the server; undefined leaves the answer to it. */
export type Intrusion = (
  request: IncomingMessage,
  response: ServerResponse,
) => "answered" | undefined | Promise<"answered" | undefined>;

export const S3_CREDENTIALS = { accessKeyId: "AKIATEST", secretAccessKey: "secret/of+the=test" };
const REGION = "eu-central-1";
const STORED = /^(content-type|x-amz-meta-.+)$/;

/**
 * A bucket `films` that is stricter than test servers of npm: it checks each signature, by its own arithmetic, and the SHA-256
 * of each body, and overwrites nothing that it is asked not to.
 */
export async function useS3Server({
  conditions = true,
  tls,
}: {
  conditions?: boolean;
  tls?: { key: string; cert: string };
} = {}) {
  const objects = new Map<string, StoredObject>();
  const asked: string[] = [];
  let intrude: Intrusion | undefined;

  let refuse: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;

  const server = tls === undefined ? createServer(handle) : createSecureServer(tls, handle);
  // A client may ask before it sends a body.
  server.on("checkContinue", (request, response) => {
    if (refuse !== undefined) return refuse(request, response);
    response.writeContinue();
    handle(request, response);
  });

  function handle(request: IncomingMessage, response: ServerResponse) {
    void answer(request, response).catch((error) => response.destroy(error as Error));
  }

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const { method = "", url = "", headers } = request;
    asked.push(`${method} ${url}`);
    response.on("error", () => {});
    if ((await intrude?.(request, response)) === "answered") return;
    const refuse = (status: number, code: string, more = "") => {
      const text = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message>${more}</Error>`;
      response.writeHead(status, { "content-type": "application/xml" }).end(method === "HEAD" ? "" : text);
    };
    const [, key] = /^\/films\/(.+)$/.exec(url) ?? [];
    const problem = signatureProblem(request);
    if (problem !== undefined) return refuse(problem[0], problem[1], problem[2]);
    if (key === undefined) return refuse(404, "NoSuchBucket");
    const found = objects.get(key);
    if (method === "PUT") {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const bytes = Buffer.concat(chunks);
      if (headers["content-length"] !== `${bytes.length}`) return refuse(411, "MissingContentLength");
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      if (headers["x-amz-content-sha256"] !== sha256) return refuse(400, "XAmzContentSHA256Mismatch");
      if (headers["if-none-match"] !== undefined) {
        if (!conditions) return refuse(501, "NotImplemented");
        if (objects.has(key)) return refuse(412, "PreconditionFailed");
      }
      const stored = Object.entries(headers).filter(([name]) => STORED.test(name)) as Array<[string, string]>;
      objects.set(key, { bytes, headers: Object.fromEntries(stored) });
      response.writeHead(200, { etag: `"${sha256.slice(0, 32)}"` }).end();
    } else if (method === "DELETE") {
      objects.delete(key);
      response.writeHead(204).end();
    } else if (found === undefined) refuse(404, "NoSuchKey");
    else {
      response.writeHead(200, { ...found.headers, "content-length": found.bytes.length });
      response.end(method === "HEAD" ? undefined : found.bytes);
    }
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `${tls === undefined ? "http" : "https"}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    options: { bucketURL: `${origin}/films`, region: REGION, credentials: S3_CREDENTIALS },
    origin,
    objects,
    /** Methods and paths, in their order. */
    asked,
    answer: handle,
    connections: () =>
      new Promise<number>((resolve, reject) => {
        server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
      }),
    /** Answers those that ask before they send a body, in place of the word that they may. */
    refuseBefore(next: typeof refuse) {
      refuse = next;
    },
    intrudeWith(next: Intrusion | undefined) {
      intrude = next;
    },
  };
}

type Problem = [status: number, code: string, more?: string];

/** What is wrong with the signature of a request, by the rules of AWS Signature Version 4. */
function signatureProblem({ method = "", url = "", headers }: IncomingMessage): Problem | undefined {
  const [, accessKeyId, day = "", region = "", names = "", given] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([\w-]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/.exec(
      headers.authorization ?? "",
    ) ?? [];
  if (accessKeyId !== S3_CREDENTIALS.accessKeyId) return [403, "InvalidAccessKeyId"];
  if (region !== REGION) return [400, "AuthorizationHeaderMalformed", `<Region>${REGION}</Region>`];
  const signed = names.split(";");
  const mustBe = ["host", ...Object.keys(headers).filter((name) => name.startsWith("x-amz-"))];
  if (!mustBe.every((name) => signed.includes(name))) return [403, "AccessDenied"];
  const { pathname, search } = new URL(url, "http://host");
  const canonical = [
    method,
    pathname,
    search.slice(1),
    ...signed.map((name) => `${name}:${String(headers[name]).trim().replace(/\s+/g, " ")}`),
    "",
    names,
    headers["x-amz-content-sha256"],
  ].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const hash = createHash("sha256").update(canonical).digest("hex");
  const text = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, hash].join("\n");
  const hmac = (key: string | Buffer, value: string) => createHmac("sha256", key).update(value).digest();
  const key = [day, region, "s3", "aws4_request"].reduce<string | Buffer>(
    hmac,
    `AWS4${S3_CREDENTIALS.secretAccessKey}`,
  );
  return hmac(key, text).toString("hex") === given ? undefined : [403, "SignatureDoesNotMatch"];
}
