import { describe, expect, it } from "vitest";
import { errorOf, gatewayFor, TRANSPORTS } from "../../test/gateways.js";
import { errorBody, type Script, sendJSON, startServer, unusedAddress } from "../../test/scripted-server.js";
import {
  APIError,
  APITimeoutError,
  APIUserAbortError,
  ConfigurationError,
  InvalidResponseError,
  PermissionDeniedError,
  RateLimitError,
  StreamInterruptedError,
} from "../index.js";

const SPEECH = { model: "local-speech", input: "Hello", voice: "alloy", format: "mp3" };
const MP3 = new Uint8Array(200_000).map((_, index) => (index * 7) % 256);
MP3.set([0x49, 0x44, 0x33]);

const audio =
  (bytes: Uint8Array = MP3, headers: Record<string, string> = { "content-type": "audio/mpeg" }): Script =>
  (_request, response) =>
    response.writeHead(200, headers).end(bytes);

describe.each(TRANSPORTS)("speech over %s", (_name, transport) => {
  it("is bytes with their media type, read as a whole", async () => {
    const server = await startServer(audio());
    const speech = await gatewayFor(server.url, transport).audio.speech.create(SPEECH);
    expect(speech.contentType).toBe("audio/mpeg");
    expect(await speech.bytes()).toEqual(MP3);
    expect(server.requests[0]).toMatchObject({
      method: "POST",
      path: "/v1/audio/speech",
      json: SPEECH,
      headers: { accept: "*/*", "content-type": "application/json" },
    });
    expect(server.requests[0]?.headers["idempotency-key"]).toBeTruthy();
  });

  it("can be read while it arrives, and comes with its response", async () => {
    let finish = () => {};
    const server = await startServer((_request, response) => {
      response.writeHead(200, { "content-type": "audio/wav", "x-request-id": "r-1" });
      response.write(MP3.subarray(0, 3));
      finish = () => response.end(MP3.subarray(3));
    });
    const { data, requestId, attempts, response } = await gatewayFor(server.url, transport)
      .audio.speech.create(SPEECH)
      .withResponse();
    expect([requestId, attempts, response.status]).toEqual(["r-1", 1, 200]);
    const reader = data.body.getReader();
    expect((await reader.read()).value).toEqual(MP3.slice(0, 3));
    finish();
    const rest: number[] = [];
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read())
      rest.push(...(value as Uint8Array));
    expect(rest).toEqual([...MP3.slice(3)]);
  });

  it.each<[string, Uint8Array]>([
    ["samples that begin like JSON", Uint8Array.of(0x7b, 0x22, 0xff, 0x80, 0x00)],
    ["samples that begin with a brace", Uint8Array.of(0x7b, 0x01, 0x02)],
    ["samples that begin like markup", Uint8Array.of(0x3c, 0x61, 0xff, 0xfe)],
    ["one byte", Uint8Array.of(0xff)],
  ])("passes %s on", async (_what, bytes) => {
    const server = await startServer(audio(bytes, {}));
    const speech = await gatewayFor(server.url, transport).audio.speech.create(SPEECH);
    expect(speech.contentType).toBe("application/octet-stream");
    expect(await speech.bytes()).toEqual(bytes);
  });

  it.each(["application/json", "audio/mpeg", ""])(
    "is an error when the answer is one, with status 200 and media type %j",
    async (type) => {
      const text = JSON.stringify(errorBody("no such voice", "invalid_voice"));
      const server = await startServer((_request, response) => {
        response.writeHead(200, type === "" ? {} : { "content-type": type });
        // In two pieces: the first alone does not show what it is.
        response.write(" \n{");
        response.end(text.slice(1));
      });
      const error = await errorOf(gatewayFor(server.url, transport).audio.speech.create(SPEECH));
      expect(error).toBeInstanceOf(APIError);
      expect(error).toMatchObject({ kind: "bad_request", status: 200, code: "invalid_voice" });
    },
  );

  it.each<[string, string, string, string]>([
    ["an empty body", "audio/mpeg", "", "an empty body"],
    ["blanks", "audio/mpeg", " \n", "an empty body"],
    ["a web page", "audio/mpeg", "<!doctype html><html></html>", "a web page"],
    ["other JSON", "application/json", '{"audio":"SUQz"}', "JSON"],
    ["half of a JSON error", "audio/mpeg", '{"error":{"mess', "text"],
    ["plain text", "text/plain; charset=utf-8", "upstream is down", "text"],
  ])("is no audio: %s", async (_what, type, text, named) => {
    const server = await startServer((_request, response) =>
      response.writeHead(200, { "content-type": type }).end(text),
    );
    const error = await errorOf(gatewayFor(server.url, transport).audio.speech.create(SPEECH));
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error).toMatchObject({ maybeProcessed: true, status: 200 });
    expect((error as Error).message).toContain(named);
    expect(server.requests).toHaveLength(1);
  });

  it("is repeated after 429 only", async () => {
    const server = await startServer((request, response, count) => {
      if (count === 1) sendJSON(response, errorBody("slow down"), 429, { "retry-after-ms": "1" });
      else audio()(request, response, count);
    });
    const { attempts } = await gatewayFor(server.url, transport).audio.speech.create(SPEECH).withResponse();
    expect(attempts).toBe(2);
    expect(server.requests[0]?.headers["idempotency-key"]).toBe(
      server.requests[1]?.headers["idempotency-key"],
    );

    const broken = await startServer((_request, response) => sendJSON(response, errorBody("oops"), 502));
    const error = await errorOf(gatewayFor(broken.url, transport).audio.speech.create(SPEECH));
    expect(error).toMatchObject({ status: 502, maybeProcessed: true, attempts: 1 });
  });

  it("that breaks off is an error, and not a short file", async () => {
    const server = await startServer((_request, response) => {
      response.writeHead(200, { "content-type": "audio/mpeg" });
      response.write(MP3, () => response.destroy());
    });
    const speech = await gatewayFor(server.url, transport).audio.speech.create(SPEECH);
    const error = await errorOf(speech.bytes());
    expect(error).toBeInstanceOf(StreamInterruptedError);
    expect(error).toMatchObject({ maybeProcessed: true });
    expect((error as Error).message).not.toContain("partial");
  });

  it("has to be complete within its timeout, however steadily it drips", async () => {
    const server = await startServer((_request, response) => {
      response.writeHead(200, { "content-type": "audio/mpeg" });
      const drip = setInterval(() => response.write(Uint8Array.of(0xff)), 5);
      response.on("close", () => clearInterval(drip));
    });
    const speech = await gatewayFor(server.url, transport).audio.speech.create(SPEECH, { timeout: 250 });
    const error = await errorOf(speech.bytes());
    expect(error).toBeInstanceOf(APITimeoutError);
    expect(error).toMatchObject({ timeoutMs: 250, maybeProcessed: true });
  });

  it("ends at once when the caller aborts, before and while it arrives", async () => {
    const server = await startServer((_request, response, count) => {
      if (count === 1) return;
      response.writeHead(200, { "content-type": "audio/mpeg" });
      response.write(MP3.subarray(0, 10));
    });
    const gateway = gatewayFor(server.url, transport);
    const early = new AbortController();
    const waiting = errorOf(gateway.audio.speech.create(SPEECH, { signal: early.signal }));
    await server.arrived(1);
    early.abort();
    expect(await waiting).toBeInstanceOf(APIUserAbortError);

    const late = new AbortController();
    const speech = await gateway.audio.speech.create(SPEECH, { signal: late.signal });
    const closed = new Promise((resolve) => server.requests[1]?.socket.once("close", resolve));
    const reading = errorOf(speech.bytes());
    late.abort();
    expect(await reading).toBeInstanceOf(APIUserAbortError);
    await closed;
  });

  it("closes the connection when its body is cancelled", async () => {
    const server = await startServer((_request, response) => {
      response.writeHead(200, { "content-type": "audio/mpeg" });
      response.write(MP3);
    });
    const speech = await gatewayFor(server.url, transport).audio.speech.create(SPEECH);
    const closed = new Promise((resolve) => server.requests[0]?.socket.once("close", resolve));
    await speech.body.cancel();
    await closed;
  });

  it("does not count the time in which nobody reads", async () => {
    const big = new Uint8Array(4_000_000).fill(0xff);
    const server = await startServer(audio(big));
    const speech = await gatewayFor(server.url, transport).audio.speech.create(SPEECH, { timeout: 600 });
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(await speech.bytes()).toHaveLength(big.length);
  });

  it("reports the gateway's errors", async () => {
    const server = await startServer((_request, response, count) =>
      sendJSON(response, errorBody("no"), count === 1 ? 403 : 429, { "retry-after": "3600" }),
    );
    const gateway = gatewayFor(server.url, transport);
    expect(await errorOf(gateway.audio.speech.create(SPEECH))).toBeInstanceOf(PermissionDeniedError);
    expect(await errorOf(gateway.audio.speech.create(SPEECH))).toBeInstanceOf(RateLimitError);
  });
});

describe("speech of specialised models", () => {
  const special = { ...SPEECH, model: "voice-pro-2" };

  async function fourAddresses() {
    const general = await startServer(audio());
    const specialized = await startServer(audio());
    const specializedCdn = await startServer(audio());
    const count = () => [general, specialized, specializedCdn].map(({ requests }) => requests.length);
    return { general, specialized, specializedCdn, count };
  }

  it("goes to the specialised addresses, by id and by pattern", async () => {
    const { general, specialized, specializedCdn, count } = await fourAddresses();
    const gateway = gatewayFor(general.url, {
      endpoints: { specialized: specialized.url, specializedCdn: specializedCdn.url, cdn: general.url },
      specializedModels: ["voice-one", /^voice-pro/g],
    });
    await (await gateway.audio.speech.create(SPEECH)).bytes();
    expect(count()).toEqual([1, 0, 0]);
    // Twice: a global pattern must not remember where it stopped.
    await (await gateway.audio.speech.create(special)).bytes();
    await (await gateway.audio.speech.create(special)).bytes();
    await (await gateway.audio.speech.create({ ...SPEECH, model: "voice-one" })).bytes();
    expect(count()).toEqual([1, 3, 0]);
    await (await gateway.audio.speech.create({ ...SPEECH, model: "voice-one-more" })).bytes();
    expect(count()).toEqual([2, 3, 0]);
    await (await gateway.audio.speech.create(special, { route: "cdn" })).bytes();
    expect(count()).toEqual([2, 3, 1]);
  });

  it("fails over between the two", async () => {
    const { general, specializedCdn, count } = await fourAddresses();
    const gateway = gatewayFor(general.url, {
      endpoints: { specialized: await unusedAddress(), specializedCdn: specializedCdn.url },
      specializedModels: ["voice-pro-2"],
      route: "failover",
    });
    const { data, attempts } = await gateway.audio.speech.create(special).withResponse();
    expect(attempts).toBe(2);
    expect(await data.bytes()).toEqual(MP3);
    expect(count()).toEqual([0, 0, 1]);
  });

  it.each([
    ["general", "MODEL_GATEWAY_SPECIALIZED_BASE_URL"],
    ["failover", "MODEL_GATEWAY_SPECIALIZED_BASE_URL"],
    ["cdn", "MODEL_GATEWAY_SPECIALIZED_CDN_BASE_URL"],
  ] as const)("with route %s needs %s, and says so", async (route, variable) => {
    const { general, count } = await fourAddresses();
    const gateway = gatewayFor(general.url, { specializedModels: [/^voice/] });
    const error = await errorOf(gateway.audio.speech.create(special, { route }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect((error as Error).message).toContain(variable);
    expect(count()).toEqual([0, 0, 0]);
  });

  it("is refused at construction when the option is no list of models", () => {
    const specializedModels = "voice" as never;
    expect(() => gatewayFor("http://127.0.0.1:9/v1", { specializedModels })).toThrow(ConfigurationError);
  });
});
