import { createHash } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { globalAgent } from "node:https";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { freePort } from "@model-gateway/test-servers";
import S3rver from "s3rver";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Intrusion, S3_CREDENTIALS, useS3Server } from "../../test/s3-server.js";
import { selfSigned } from "../../test/self-signed.js";
import type { FileSource } from "../files/file-store.js";
import { fileStoreContract } from "../testing/file-store-contract.js";
import { S3FileStore, type S3FileStoreOptions } from "./s3-file-store.js";
import { S3FileStoreError } from "./s3-file-store-error.js";

const BYTES = Buffer.from(Uint8Array.from({ length: 700_000 }, (_, index) => (index * 13) % 249));
const SHA256 = createHash("sha256").update(BYTES).digest("hex");
const KEY = "default/order-7/0.mp4";
const PATH = `/films/${KEY}`;

async function useFolder(prefix: string) {
  const directory = await mkdtemp(join(tmpdir(), prefix));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

async function useBucket(more: Partial<S3FileStoreOptions> = {}, conditions = true) {
  const server = await useS3Server({ conditions });
  const spoolDirectory = await useFolder("spool-");
  const store = new S3FileStore({ ...server.options, spoolDirectory, ...more });
  let asked = 0;
  const source: FileSource = async () => {
    asked += 1;
    return download();
  };
  return {
    server,
    store,
    source,
    spoolDirectory,
    /** How often the file was asked for. */
    downloads: () => asked,
    keep: (origin = "task-1", signal?: AbortSignal) =>
      store.keep(source, KEY, { origin, ...(signal && { signal }) }),
    /** Files that wait for the bucket. */
    waiting: async () =>
      (await readdir(spoolDirectory, { recursive: true })).filter((name) => name.endsWith(".part")),
    puts: () => server.asked.filter((line) => line.startsWith("PUT")).length,
  };
}

function download(bytes: Buffer = BYTES, contentType = "video/mp4") {
  return {
    contentType,
    contentLength: bytes.length,
    version: '"1"',
    body: new Blob([new Uint8Array(bytes)]).stream(),
    bytes: async () => new Uint8Array(bytes),
  };
}

/** Answers each request of a method so. */
function answering(
  method: string,
  status: number,
  text = "",
  headers: Record<string, string> = {},
): Intrusion {
  return (request, response) => {
    if (request.method !== method) return undefined;
    request.resume();
    response.writeHead(status, headers).end(text);
    return "answered";
  };
}

const errorText = (code: string) => `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`;

async function failureOf(promise: Promise<unknown>): Promise<S3FileStoreError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(S3FileStoreError);
  return error as S3FileStoreError;
}

describe("a bucket of a strict server", () => {
  for (const { title, run } of fileStoreContract(async () => {
    const { options } = await useS3Server();
    return new S3FileStore({ ...options, spoolDirectory: await useFolder("spool-") });
  })) {
    it(title, run);
  }
});

describe("a bucket of another server, in a folder of it", () => {
  let server: S3rver;
  let url: string;
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "s3rver-"));
    server = new S3rver({
      ...{ port: 0, address: "127.0.0.1", silent: true, directory },
      configureBuckets: [{ name: "films", configs: [] }],
    });
    const { port } = await server.run();
    url = `http://127.0.0.1:${port}/films`;
  });
  afterAll(async () => {
    await server.close();
    await rm(directory, { recursive: true, force: true });
  });

  let stores = 0;
  for (const { title, run } of fileStoreContract(
    async () =>
      new S3FileStore({
        bucketURL: `${url}/store-${++stores}/`,
        credentials: { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" },
        spoolDirectory: await useFolder("spool-"),
      }),
  )) {
    it(title, run);
  }
});

describe("a file in a bucket", () => {
  it("comes at once and whole, with what it is", async () => {
    const { server, keep, waiting } = await useBucket();
    const puts: unknown[] = [];
    server.intrudeWith((request) => {
      if (request.method === "PUT") puts.push({ ...request.headers });
      return undefined;
    });
    const kept = await keep();
    expect(kept).toEqual({
      key: KEY,
      contentType: "video/mp4",
      length: BYTES.length,
      sha256: SHA256,
      origin: "task-1",
    });
    expect(puts).toMatchObject([
      { "if-none-match": "*", "x-amz-content-sha256": SHA256, "content-length": `${BYTES.length}` },
    ]);
    expect(server.objects.get(KEY)?.headers).toMatchObject({
      "x-amz-meta-sha256": SHA256,
      "x-amz-meta-origin": "task-1",
    });
    expect(server.objects.get(KEY)?.bytes.equals(BYTES)).toBe(true);
    expect(await waiting()).toEqual([]);
  });

  it("is not there while it is on its way", async () => {
    const { server, store } = await useBucket();
    let go = () => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const arriving = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(BYTES.subarray(0, 100))),
      pull: async (controller) => {
        await gate;
        controller.enqueue(new Uint8Array(BYTES.subarray(100)));
        controller.close();
      },
    });
    const keeping = store.keep(async () => ({ ...download(), body: arriving }), KEY, { origin: "t" });
    await expect.poll(() => server.asked).toEqual([`HEAD ${PATH}`]);
    expect(server.objects.size).toBe(0);
    go();
    expect((await keeping).sha256).toBe(SHA256);
  });

  it("is left alone when another process was first with the same one", async () => {
    const { server, keep, source } = await useBucket();
    const other = new S3FileStore({ ...server.options, spoolDirectory: await useFolder("spool-") });
    let first = true;
    server.intrudeWith(async (request) => {
      if (request.method !== "PUT" || !first) return undefined;
      first = false;
      await other.keep(source, KEY, { origin: "task-1" });
      return undefined;
    });
    expect((await keep()).sha256).toBe(SHA256);
    // Its own was refused.
    expect(server.asked.filter((line) => line.startsWith("PUT"))).toHaveLength(2);
  });

  it("replaces what came there meanwhile of another origin, and what is not the store's", async () => {
    const { server, keep, store } = await useBucket();
    server.objects.set(KEY, { bytes: Buffer.from("foreign"), headers: { "content-type": "text/plain" } });
    expect(await store.find(KEY)).toBeUndefined();
    expect(await store.read(KEY)).toBeUndefined();
    await keep();
    expect(server.objects.get(KEY)?.bytes.equals(BYTES)).toBe(true);
    await keep("task-2");
    expect((await store.find(KEY))?.origin).toBe("task-2");
  });

  it("is kept by a server that knows no conditions, which is asked for one once", async () => {
    const { server, store, source, puts } = await useBucket({}, false);
    await store.keep(source, "a", { origin: "t" });
    expect(puts()).toBe(2);
    await store.keep(source, "b", { origin: "t" });
    expect(puts()).toBe(3);
    expect(server.objects.size).toBe(2);
  });

  it("is kept by a server that hangs up on a condition", async () => {
    const { server, keep, downloads } = await useBucket();
    server.intrudeWith((request) => {
      if (request.headers["if-none-match"] === undefined) return undefined;
      request.socket.resetAndDestroy();
      return "answered";
    });
    expect((await failureOf(keep())).status).toBeUndefined();
    expect((await keep()).sha256).toBe(SHA256);
    expect(downloads()).toBe(1);
  });

  it("is kept whatever its server called it", async () => {
    const { store } = await useBucket();
    const kept = await store.keep(async () => download(BYTES, "video/mp4\r\nx: y"), KEY, { origin: "t" });
    expect(kept.contentType).toBe("application/octet-stream");
    expect(await store.find(KEY)).toEqual(kept);
    const origin = "a\ud800/ü";
    await store.keep(async () => download(), "b", { origin });
    expect((await store.find("b"))?.origin).toBe("a\ufffd/ü");
  });

  it("is asked for with the credentials of the moment", async () => {
    const given = [{ accessKeyId: "AKIATEST", secretAccessKey: "old" }, S3_CREDENTIALS];
    let asked = 0;
    const { store, server } = await useBucket({
      credentials: async () => given[Math.min(asked++, 2) >> 1] ?? S3_CREDENTIALS,
    });
    expect((await failureOf(store.find(KEY))).code).toBe("SignatureDoesNotMatch");
    expect(await store.find(KEY)).toBeUndefined();
    expect(server.asked).toHaveLength(3);
    let token: unknown;
    server.intrudeWith(({ headers }) => {
      token = headers["x-amz-security-token"];
      return undefined;
    });
    const lent = new S3FileStore({
      ...server.options,
      credentials: { ...S3_CREDENTIALS, sessionToken: "lent" },
    });
    expect(await lent.find(KEY)).toBeUndefined();
    expect(token).toBe("lent");
    const failing = new S3FileStore({
      ...server.options,
      credentials: () => Promise.reject(new Error("no role")),
    });
    expect((await failureOf(failing.find(KEY))).message).toContain("credentials of");
  });
});

describe("a bucket behind TLS", () => {
  it("is believed only with a certificate that this machine trusts", async () => {
    const tls = selfSigned();
    const server = await useS3Server({ tls });
    const store = new S3FileStore({ ...server.options, spoolDirectory: await useFolder("spool-") });
    const keep = () => store.keep(async () => download(), KEY, { origin: "t" });
    const error = await failureOf(keep());
    expect(error.message).toMatch(
      /^The S3 server at https:.* gave no whole answer \(DEPTH_ZERO_SELF_SIGNED_CERT\)/,
    );
    expect(server.asked).toEqual([]);
    globalAgent.options.ca = tls.cert;
    onTestFinished(() => {
      delete globalAgent.options.ca;
      globalAgent.destroy();
    });
    expect((await keep()).sha256).toBe(SHA256);
    const content = Buffer.concat((await (await store.read(KEY))?.toArray()) ?? []);
    expect(content.equals(BYTES)).toBe(true);
  });
});

describe("a file whose bucket fails", () => {
  const failures: Array<[string, Intrusion, RegExp]> = [
    [
      "says 500",
      answering("PUT", 500, errorText("InternalError")),
      /500 InternalError: it fails\. That passes/,
    ],
    ["says 503", answering("PUT", 503, errorText("SlowDown")), /503 SlowDown: it is asked for too much/],
    ["is full", answering("PUT", 507), /507: it is full/],
    ["has no bucket", answering("PUT", 404, errorText("NoSuchBucket")), /404 NoSuchBucket: there is no such/],
    [
      "may not be written to",
      answering("PUT", 403, errorText("AccessDenied")),
      /AccessDenied: .*s3:PutObject/,
    ],
    ["says something unknown", answering("PUT", 418, "teapot"), /418: it does not do that/],
    [
      "resets",
      (request) => {
        if (request.method !== "PUT") return undefined;
        request.socket.resetAndDestroy();
        return "answered";
      },
      /gave no whole answer \(ECONNRESET\)\. Whether it has the file now is not known/,
    ],
    [
      "resets while it is sent",
      (request) => {
        if (request.method !== "PUT") return undefined;
        request.once("data", () => request.socket.resetAndDestroy());
        return "answered";
      },
      /gave no whole answer/,
    ],
    [
      "takes it and has not got it",
      answering("PUT", 200),
      /took .* and does not have it, or lost its metadata/,
    ],
  ];

  it.each(failures)(
    "is safe on disk when it %s, and put there later without being asked for",
    async (_, intrusion, says) => {
      const { server, keep, downloads, waiting } = await useBucket();
      server.intrudeWith(intrusion);
      for (let attempt = 0; attempt < 2; attempt++) {
        const error = await failureOf(keep());
        expect(error.message).toMatch(says);
        expect(error.message).toContain("has arrived and is safe in ");
        expect(await waiting()).toHaveLength(1);
      }
      expect(server.objects.size).toBe(0);
      server.intrudeWith(undefined);
      expect((await keep()).sha256).toBe(SHA256);
      expect(server.objects.get(KEY)?.bytes.equals(BYTES)).toBe(true);
      expect(downloads()).toBe(1);
      expect(await waiting()).toEqual([]);
    },
  );

  it("arrives even when nothing of it answers at first, and is put there later", async () => {
    const port = await freePort();
    const { server, downloads, source } = await useBucket();
    const spoolDirectory = await useFolder("spool-");
    const options = { ...server.options, spoolDirectory };
    const away = new S3FileStore({ ...options, bucketURL: `http://127.0.0.1:${port}/films` });
    const error = await failureOf(away.keep(source, KEY, { origin: "t" }));
    expect(error.message).toMatch(/gave no whole answer \(ECONNREFUSED\)/);
    expect(error.message).toContain("is safe in ");
    await failureOf(away.keep(source, KEY, { origin: "t" }));
    expect(downloads()).toBe(1);
  });

  it("is not sent to a server that refuses a question already, whose answer says why", async () => {
    const { server, keep, puts, downloads } = await useBucket();
    server.intrudeWith(answering("HEAD", 403));
    await failureOf(keep());
    expect(puts()).toBe(0);
    expect(downloads()).toBe(1);
  });

  it("is not kept when the bucket holds another one than was sent", async () => {
    const { server, keep, downloads } = await useBucket();
    server.intrudeWith((request) => {
      const stored = server.objects.get(KEY);
      if (request.method !== "HEAD" || stored === undefined) return undefined;
      server.objects.set(KEY, { ...stored, bytes: stored.bytes.subarray(0, 10) });
      server.intrudeWith(undefined);
      return undefined;
    });
    expect((await failureOf(keep())).message).toContain("has another one: 10 bytes instead of 700000");
    server.objects.delete(KEY);
    expect((await keep()).sha256).toBe(SHA256);
    expect(downloads()).toBe(1);
  });

  it("is refused by a server that gets other bytes than were signed", async () => {
    const { server, keep, waiting } = await useBucket();
    server.intrudeWith((request) => {
      if (request.method === "PUT") request.headers["x-amz-content-sha256"] = "0".repeat(64);
      return undefined;
    });
    expect((await failureOf(keep())).code).toBe("SignatureDoesNotMatch");
    server.intrudeWith(answering("PUT", 400, errorText("XAmzContentSHA256Mismatch")));
    expect((await failureOf(keep())).message).toContain("damaged on the way. That passes");
    expect(await waiting()).toHaveLength(1);
  });

  it("is given up when the server says nothing for too long", async () => {
    const { server, keep, downloads, store, source, spoolDirectory } = await useBucket({
      idleTimeoutMs: 100,
    });
    server.intrudeWith((request) => {
      request.resume();
      return "answered";
    });
    expect((await failureOf(keep())).message).toContain("gave no whole answer (nothing for 100 ms)");
    server.intrudeWith(undefined);
    const patient = new S3FileStore({ ...server.options, spoolDirectory });
    expect((await patient.keep(source, KEY, { origin: "task-1" })).sha256).toBe(SHA256);
    expect(downloads()).toBe(1);
    server.intrudeWith((_request, response) => {
      response.writeHead(200, { "x-amz-meta-sha256": SHA256, "content-length": BYTES.length });
      response.write(BYTES.subarray(0, 10));
      return "answered";
    });
    const reading = async () => (await store.read(KEY))?.toArray();
    await expect(reading()).rejects.toThrow("nothing for 100 ms");
  });

  it("is read to an error, and not to an end that looks like one", async () => {
    const { server, keep, store } = await useBucket();
    await keep();
    server.intrudeWith((_request, response) => {
      response.writeHead(200, { "x-amz-meta-sha256": SHA256, "content-length": BYTES.length });
      response.write(BYTES.subarray(0, 100_000), () => response.destroy());
      return "answered";
    });
    const stream = await store.read(KEY);
    await expect(stream?.toArray()).rejects.toThrow("gave no whole answer");
  });

  it("stays on disk when it is stopped on its way to the bucket", async () => {
    const { server, keep, downloads, waiting } = await useBucket();
    const stop = new AbortController();
    server.intrudeWith((request) => {
      if (request.method !== "PUT") return undefined;
      stop.abort(new Error("left"));
      return "answered";
    });
    await expect(keep("task-1", stop.signal)).rejects.toThrow("left");
    expect(await waiting()).toHaveLength(1);
    server.intrudeWith(undefined);
    await keep();
    expect(downloads()).toBe(1);
  });

  it("is safe on disk when its server never ends the reason", async () => {
    const { server, keep, waiting } = await useBucket();
    let told = 0;
    server.intrudeWith((request, response) => {
      if (request.method !== "PUT") return undefined;
      const more = () => {
        told += 65_536;
        if (response.writable) response.write("x".repeat(65_536), more);
      };
      request.resume().once("end", () => more());
      response.writeHead(500);
      return "answered";
    });
    expect((await failureOf(keep())).message).toContain("500: it fails");
    // Far more than was read of it, and far less than an end that never comes.
    expect(told).toBeLessThan(100_000_000);
    expect(await waiting()).toHaveLength(1);
  });

  it("holds no connection of a server that does not want it, and leaves them open", async () => {
    const open = new Set<Socket>();
    const server = createServer((socket) => {
      open.add(socket.on("close", () => open.delete(socket)).on("error", () => {}));
      socket.on("data", (bytes) => {
        const [method] = bytes.toString("latin1").split(" ");
        const status = method === "HEAD" ? "404 Not Found" : "403 Forbidden";
        socket.write(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      for (const socket of open) socket.destroy();
      server.close();
    });
    const bucketURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/films`;
    const { source, spoolDirectory } = await useBucket();
    const store = new S3FileStore({ bucketURL, credentials: S3_CREDENTIALS, spoolDirectory });
    for (const key of ["a", "b", "c", "d"]) {
      expect((await failureOf(store.keep(source, key, { origin: "t" }))).status).toBe(403);
    }
    await expect.poll(() => open.size).toBe(0);
  });

  it("is not sent to a server that says before that it does not want it", async () => {
    const { server, keep, waiting } = await useBucket();
    let sent = 0;
    server.refuseBefore((request, response) => {
      request.on("data", (chunk: Buffer) => {
        sent += chunk.length;
      });
      response.writeHead(403).end(errorText("AccessDenied"));
    });
    for (let attempt = 0; attempt < 5; attempt++) {
      expect((await failureOf(keep())).code).toBe("AccessDenied");
    }
    expect(sent).toBe(0);
    // Nothing is held by what was not sent.
    await expect.poll(() => server.connections()).toBe(0);
    server.refuseBefore(undefined);
    await keep();
    expect(await waiting()).toEqual([]);
  });

  it("is sent to a server that does not say whether it wants it", async () => {
    const { server, keep } = await useBucket();
    // Reads on, without the word that the client waits for.
    server.refuseBefore((request, response) => server.answer(request, response));
    expect((await keep()).sha256).toBe(SHA256);
  });
});

describe("a bucket that does not take who asks", () => {
  it.each<[string, Partial<S3FileStoreOptions>, RegExp]>([
    [
      "an access key that it does not know",
      { credentials: { ...S3_CREDENTIALS, accessKeyId: "AKIAOTHER" } },
      /403 InvalidAccessKeyId: it knows no such accessKeyId\. Nothing can be kept/,
    ],
    [
      "a wrong secret",
      { credentials: { ...S3_CREDENTIALS, secretAccessKey: "wrong" } },
      /403 SignatureDoesNotMatch: the secretAccessKey is not that/,
    ],
    [
      "a wrong region",
      { region: "us-east-1" },
      /400 AuthorizationHeaderMalformed: .*Set the option region.* The bucket is in eu-central-1\./,
    ],
  ])("says what is wrong: %s", async (_, options, says) => {
    const { store, keep } = await useBucket(options);
    for (const attempt of [() => store.find(KEY), () => store.read(KEY), () => store.remove(KEY), keep]) {
      const error = await failureOf(attempt());
      expect(error.message).toMatch(says);
      expect(error.message).not.toContain(S3_CREDENTIALS.secretAccessKey);
    }
  });

  it("is not followed elsewhere", async () => {
    const { server, store } = await useBucket();
    const headers = { location: `${server.origin}/other`, "x-amz-bucket-region": "eu-north-1" };
    server.intrudeWith(answering("HEAD", 301, "", headers));
    const { message, status } = await failureOf(store.find(KEY));
    expect([status, message]).toEqual([301, expect.stringContaining("The bucket is in eu-north-1.")]);
    expect(server.asked).toHaveLength(2);
  });
});

describe("options of a bucket", () => {
  const options = { bucketURL: "https://s3.example.com/films", credentials: S3_CREDENTIALS };

  it.each<[string, unknown, RegExp]>([
    ["bucketURL", "films", /bucketURL of S3FileStore must be an http\(s\) address/],
    ["bucketURL", "ftp://a/b", /bucketURL/],
    ["bucketURL", "https://a/b?c", /bucketURL/],
    [
      "bucketURL",
      "https://user:pass@a/b",
      /must be an address without credentials, and not one with them\.$/,
    ],
    ["credentials", undefined, /credentials\.accessKeyId/],
    ["credentials", { accessKeyId: "a", secretAccessKey: "" }, /credentials\.secretAccessKey/],
    ["idleTimeoutMs", 0, /idleTimeoutMs/],
  ])("%s cannot be %j", (name, value, says) => {
    expect(() => new S3FileStore({ ...options, [name]: value } as S3FileStoreOptions)).toThrow(says);
  });

  it("show no secret", () => {
    const store = new S3FileStore(options);
    expect(inspect(store, { depth: 10 })).not.toContain(S3_CREDENTIALS.secretAccessKey);
  });
});
