import dns from "node:dns";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { API_KEY, errorOf, gatewayFor, TRANSPORTS } from "../../test/gateways.js";
import { errorBody, sendJSON, startServer } from "../../test/scripted-server.js";
import {
  type DownloadOptions,
  type FetchFunction,
  InvalidRequestError,
  InvalidResponseError,
  StreamInterruptedError,
} from "../index.js";

interface DispatchHandler {
  onConnect(abort: () => void): void;
  onHeaders(status: number, headers: string[], resume: () => void): boolean;
  onComplete(): void;
}

const BYTES = new Uint8Array(300_000).map((_, index) => index % 251);

describe.each(TRANSPORTS)("download over %s", (_name, transport) => {
  it("streams a file of the gateway with the key", async () => {
    const server = await startServer((_request, response) =>
      response.writeHead(200, { "content-type": "video/mp4", "content-length": BYTES.length }).end(BYTES),
    );
    const file = await gatewayFor(server.url, transport).download(`${server.origin}/files/1.mp4?sig=s`);
    expect([file.contentType, file.contentLength]).toEqual(["video/mp4", BYTES.length]);
    expect(new Uint8Array(await new Response(file.body).arrayBuffer())).toEqual(BYTES);
    expect(server.requests[0]).toMatchObject({
      path: "/files/1.mp4?sig=s",
      headers: { authorization: `Bearer ${API_KEY}` },
    });
  });

  it("takes results, and paths on the gateway's own host", async () => {
    const server = await startServer((_request, response) => response.end(BYTES));
    const gateway = gatewayFor(server.url, transport);
    expect(await (await gateway.download({ url: "/files/1.mp4" })).bytes()).toEqual(BYTES);
    const file = await gateway.download(new URL(`${server.origin}/files/2.mp4`));
    expect(file.contentType).toBe("application/octet-stream");
    expect(await file.bytes()).toEqual(BYTES);
  });

  it("follows redirects of its own host and no more than five", async () => {
    const server = await startServer(({ path }, response) => {
      const left = Number(path.slice(1));
      if (left === 0) response.end("done");
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    });
    const gateway = gatewayFor(server.url, transport);
    expect(new TextDecoder().decode(await (await gateway.download(`${server.origin}/5`)).bytes())).toBe(
      "done",
    );
    const error = await errorOf(gateway.download(`${server.origin}/6`));
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect((error as Error).message).toContain("redirects");
  });

  it("does not follow a redirect into a private network, and never shows the key elsewhere", async () => {
    const secret = await startServer((_request, response) => response.end("secret"));
    const server = await startServer((_request, response) =>
      response.writeHead(302, { location: secret.origin }).end(),
    );
    const error = await errorOf(gatewayFor(server.url, transport).download(`${server.origin}/1`));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect((error as Error).message).toContain("private network");
    expect(secret.requests).toHaveLength(0);
  });

  it("refuses files above maxBytes, declared or not", async () => {
    const server = await startServer(({ path }, response) => {
      if (path === "/declared") response.writeHead(200, { "content-length": BYTES.length });
      else response.writeHead(200);
      response.end(BYTES);
    });
    const gateway = gatewayFor(server.url, transport);
    const options = { maxBytes: 1_000 };
    expect(await errorOf(gateway.download(`${server.origin}/declared`, options))).toBeInstanceOf(
      InvalidResponseError,
    );
    const file = await gateway.download(`${server.origin}/chunked`, options);
    expect(await errorOf(file.bytes())).toBeInstanceOf(InvalidResponseError);
  });

  it("reports the server's error, without the query that may be a signature", async () => {
    const server = await startServer((_request, response) =>
      sendJSON(response, errorBody("link expired"), 403),
    );
    const error = await errorOf(
      gatewayFor(server.url, transport).download(`${server.origin}/1.mp4?signature=xyz`),
    );
    expect(error).toMatchObject({ status: 403, path: "/1.mp4" });
    expect((error as Error).message).not.toContain("xyz");
  });

  it("reports a file that breaks off", async () => {
    const server = await startServer((_request, response) => {
      response.writeHead(200, { "content-length": 1_000_000 });
      response.write(BYTES, () => response.destroy());
    });
    const file = await gatewayFor(server.url, transport).download(`${server.origin}/1.mp4`);
    expect(await errorOf(file.bytes())).toBeInstanceOf(StreamInterruptedError);
  });

  it("closes the connection when the body is cancelled", async () => {
    const server = await startServer((_request, response) => {
      response.writeHead(200);
      response.write(BYTES);
    });
    const file = await gatewayFor(server.url, transport).download(`${server.origin}/1.mp4`);
    const closed = new Promise((resolve) => server.requests[0]?.socket.once("close", resolve));
    await file.body.cancel();
    await closed;
  });
});

describe("download", () => {
  const gateway = gatewayFor("https://gateway.example/v1");

  it.each([
    "http://127.0.0.1/x",
    "http://localhost:8080/x",
    "file:///etc/passwd",
    "ftp://files.example.com/x",
    "http://[::1]/",
  ])("refuses %s before anything is sent", async (url) => {
    expect(await errorOf(gateway.download(url))).toBeInstanceOf(InvalidRequestError);
  });

  it("decodes data URLs", async () => {
    const file = await gateway.download("data:image/png;base64,AQID");
    expect([file.contentType, file.contentLength]).toEqual(["image/png", 3]);
    expect(await file.bytes()).toEqual(Uint8Array.of(1, 2, 3));
    expect(await new Response((await gateway.download("data:,a%20b")).body).text()).toBe("a b");
    expect(await errorOf(gateway.download("data:image/png;base64,AQID", { maxBytes: 2 }))).toBeInstanceOf(
      InvalidRequestError,
    );
    expect(await errorOf(gateway.download("data:image/png;base64,%"))).toBeInstanceOf(InvalidRequestError);
  });
});

describe("the key", () => {
  const BASES = {
    endpoints: {
      cdn: "https://cdn.gateway.example/v1",
      specialized: "https://special.gateway.example:8443/v1",
    },
  };

  /** Downloads over a fetch function that notes what each host is told; redirects as the test says. */
  async function keysSent(url: string, options?: DownloadOptions, redirects: Record<string, string> = {}) {
    const sent: Array<[url: string, key: string | undefined]> = [];
    const fetch: FetchFunction = async (input, init) => {
      const { authorization } = (init?.headers ?? {}) as Record<string, string | undefined>;
      sent.push([input, authorization]);
      const location = redirects[input];
      return location === undefined
        ? new Response("bytes")
        : new Response(null, { status: 302, headers: { location } });
    };
    await gatewayFor("https://gateway.example/v1", { ...BASES, fetch }).download(url, options);
    return sent.map(([, key]) => key === `Bearer ${API_KEY}`);
  }

  it.each<[string, boolean]>([
    ["https://gateway.example/files/1.png", true],
    ["https://cdn.gateway.example/1.png", true],
    ["https://special.gateway.example:8443/1.png", true],
    ["https://files.example.com/1.png", false],
    ["https://gateway.example.evil.com/1.png", false],
    ["https://evil.com/?https://gateway.example/", false],
    ["https://gateway.example@evil.com/1.png", false],
    ["http://gateway.example/1.png", false],
    ["https://gateway.example:444/1.png", false],
    ["https://special.gateway.example/1.png", false],
  ])("to %s: %j", async (url, own) => {
    expect(await keysSent(url)).toEqual([own]);
    expect(await keysSent(url, { sendKey: false })).toEqual([false]);
  });

  it("does not follow a redirect to a foreign host, and is not taken up there for the way back", async () => {
    const own = "https://gateway.example/1";
    expect(await keysSent(own, {}, { [own]: "https://files.example.com/1" })).toEqual([true, false]);
    expect(await keysSent("https://files.example.com/1", {}, { "https://files.example.com/1": own })).toEqual(
      [false, true],
    );
  });

  it("is never sent where a redirect leads from https to http", async () => {
    const own = "https://gateway.example/1";
    for (const target of ["http://gateway.example/1", "http://files.example.com/1"]) {
      const error = await errorOf(keysSent(own, {}, { [own]: target }));
      expect(error).toBeInstanceOf(InvalidResponseError);
      expect((error as Error).message).toContain("from https to http");
    }
  });
});

describe("names of foreign hosts", () => {
  /** Lets names resolve as the test says, and notes where Node connects to. */
  function resolving(addresses: Record<string, string[]>, agent = "Agent") {
    const connected: Array<{ origin: string; host: string | undefined }> = [];
    const lookup = vi.spyOn(dns, "lookup").mockImplementation(((
      host: string,
      _options: object,
      done: (error: unknown, found?: unknown) => void,
    ) => {
      const found = addresses[host];
      if (found === undefined) done(Object.assign(new Error("unknown"), { code: "ENOTFOUND" }));
      else
        done(
          null,
          found.map((address) => ({ address })),
        );
    }) as never);
    const key = Symbol.for("undici.globalDispatcher.1");
    const globals = globalThis as Record<symbol, unknown>;
    new Headers();
    const original = globals[key];
    const Dispatcher = { [agent]: class {} }[agent] as new () => object;
    globals[key] = Object.assign(new Dispatcher(), {
      dispatch: (options: { origin: string; headers: Record<string, string> }, handler: DispatchHandler) => {
        connected.push({ origin: options.origin, host: options.headers["host"] });
        handler.onConnect(() => {});
        handler.onHeaders(200, [], () => {});
        handler.onComplete();
        return true;
      },
    });
    onTestFinished(() => {
      globals[key] = original;
      lookup.mockRestore();
    });
    return connected;
  }

  const gateway = gatewayFor("https://gateway.example/v1");

  it.each(["127.0.0.1", "10.1.2.3", "::1", "fd00::1", "169.254.169.254", "::ffff:10.0.0.1"])(
    "that lead into a private network (%s) are refused before anything is sent",
    async (address) => {
      const connected = resolving({ "files.example.com": ["93.184.216.34", address] });
      const error = await errorOf(gateway.download("https://files.example.com/1.png"));
      expect(error).toBeInstanceOf(InvalidRequestError);
      expect((error as Error).message).toContain("private network (files.example.com)");
      expect(connected).toEqual([]);
    },
  );

  it("cannot lead elsewhere after they were judged", async () => {
    const connected = resolving({
      "files.example.com": ["93.184.216.34"],
      "six.example.com": ["2606:2800::1"],
      "mapped.example.com": ["::ffff:93.184.216.34"],
    });
    await gateway.download("https://files.example.com:8443/1.png");
    await gateway.download("https://six.example.com/1.png");
    await gateway.download("https://mapped.example.com/1.png");
    expect(connected).toEqual([
      { origin: "https://93.184.216.34:8443", host: "files.example.com:8443" },
      { origin: "https://[2606:2800::1]", host: "six.example.com" },
      { origin: "https://[::ffff:5db8:d822]", host: "mapped.example.com" },
    ]);
  });

  it("that nobody knows fail without a request; those of the gateway's own are not looked up", async () => {
    const connected = resolving({});
    const error = await errorOf(gateway.download("https://files.example.com/1.png"));
    expect(error).toMatchObject({ kind: "connection", code: "ENOTFOUND" });
    await gateway.download("https://gateway.example/1.png");
    expect(connected).toEqual([{ origin: "https://gateway.example", host: undefined }]);
  });

  it("are left to a proxy where there is one", async () => {
    const connected = resolving({}, "ProxyAgent");
    await gateway.download("https://files.example.com/1.png");
    expect(connected).toEqual([{ origin: "https://files.example.com", host: undefined }]);
  });
});

describe("downloads that nobody reads", () => {
  it("give their connection back once they are dropped", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const open = new Set<object>();
    const server = await startServer(({ socket }, response) => {
      open.add(socket);
      socket.once("close", () => open.delete(socket));
      response.writeHead(200);
      const fill = () => {
        while (response.write(BYTES));
        response.once("drain", fill);
      };
      fill();
    });
    const gateway = gatewayFor(server.url);
    const drop = async () => {
      await gateway.download(`${server.origin}/1.mp4`);
    };
    for (let count = 0; count < 10; count++) await drop();
    expect(open.size).toBe(10);
    await expect
      .poll(() => {
        collect();
        return open.size;
      })
      .toBe(0);
  });

  it("give their connection and their place back after streamIdleTimeout, and say so", async () => {
    const server = await startServer(({ path }, response) => {
      response.writeHead(200);
      if (path.endsWith("models")) return response.end('{"data":[]}');
      const fill = () => {
        while (response.write(BYTES));
        response.once("drain", fill);
      };
      fill();
      return undefined;
    });
    const gateway = gatewayFor(server.url, { streamIdleTimeout: 50, maxConcurrency: 1 });
    const file = await gateway.download(`${server.origin}/1.mp4`);
    await new Promise((resolve) => server.requests[0]?.socket.once("close", resolve));
    const error = await errorOf(file.bytes());
    expect(error).toMatchObject({ kind: "stream_interrupted", reason: "unread" });
    const speech = await gateway.audio.speech.create({ model: "m", input: "x" });
    await gateway.models.list();
    expect(await errorOf(speech.bytes())).toMatchObject({ reason: "unread" });
  });

  it("may be read as slowly as one likes", async () => {
    const server = await startServer((_request, response) => response.end(new Uint8Array(3_000_000)));
    const gateway = gatewayFor(server.url, { streamIdleTimeout: 50 });
    const { body } = await gateway.download(`${server.origin}/1.mp4`);
    const reader = body.getReader();
    let size = (await reader.read()).value?.length ?? 0;
    await new Promise((resolve) => setTimeout(resolve, 150));
    for (let next = await reader.read(); !next.done; next = await reader.read()) size += next.value.length;
    expect(size).toBe(3_000_000);
  });
});
