import { describe, expect, it } from "vitest";
import { API_KEY, errorOf, gatewayFor, TRANSPORTS } from "../../test/gateways.js";
import { errorBody, sendJSON, startServer, unusedAddress } from "../../test/scripted-server.js";
import {
  APIConnectionError,
  BadRequestError,
  ConfigurationError,
  InvalidRequestError,
  InvalidResponseError,
} from "../index.js";

describe.each(TRANSPORTS)("request over %s", (_name, transport) => {
  it("sends any path below the base address, with key, query and body", async () => {
    const server = await startServer((_request, response) => sendJSON(response, { ok: true }));
    const gateway = gatewayFor(server.url, transport);
    const query = { tag: ["a b", "c&d"], page: 2, all: true, none: undefined };
    const answer = await gateway.request<{ ok: boolean }>({ method: "GET", path: "/files", query });
    expect(answer.ok).toBe(true);
    await gateway.request({
      method: "PUT",
      path: "/files/a%2Fb",
      body: { name: "x" },
      headers: { "x-team": "blue" },
      idempotencyKey: "once",
    });
    expect(server.requests[0]).toMatchObject({
      method: "GET",
      path: "/v1/files?tag=a+b&tag=c%26d&page=2&all=true",
      text: "",
      headers: { authorization: `Bearer ${API_KEY}` },
    });
    expect(server.requests[0]?.headers["idempotency-key"]).toBeUndefined();
    expect(server.requests[1]).toMatchObject({
      method: "PUT",
      path: "/v1/files/a%2Fb",
      json: { name: "x" },
      headers: { "x-team": "blue", "idempotency-key": "once", "content-type": "application/json" },
    });
  });

  it("comes with its response, and takes an empty answer for one", async () => {
    const server = await startServer((_request, response) =>
      response.writeHead(204, { "x-request-id": "r-1" }).end(),
    );
    const deleted = gatewayFor(server.url, transport).request({ method: "DELETE", path: "/files/1" });
    const { data, requestId, attempts, response } = await deleted.withResponse();
    expect([data, requestId, attempts, response.status]).toEqual([undefined, "r-1", 1, 204]);
    expect(response.url).toBe(`${server.url}/files/1`);
  });

  it("repeats reads, and what is declared repeatable, and nothing else", async () => {
    const server = await startServer(({ socket }) => socket.destroy());
    const gateway = gatewayFor(server.url, { ...transport, maxRetries: 1 });
    const sent = async (request: Parameters<typeof gateway.request>[0]) => {
      const before = server.requests.length;
      const error = await errorOf(gateway.request(request));
      expect(error).toBeInstanceOf(APIConnectionError);
      return [server.requests.length - before, (error as APIConnectionError).maybeProcessed];
    };
    expect(await sent({ method: "GET", path: "/x" })).toEqual([2, false]);
    expect(await sent({ method: "POST", path: "/x", cost: "repeatable" })).toEqual([2, false]);
    expect(await sent({ method: "POST", path: "/x" })).toEqual([1, true]);
    expect(await sent({ method: "DELETE", path: "/x" })).toEqual([1, true]);
    expect(await sent({ method: "GET", path: "/x", cost: "billable" })).toEqual([1, true]);
  });

  it("reports errors as every call does, without the key and without the query", async () => {
    const server = await startServer((_request, response, count) => {
      if (count === 1) sendJSON(response, errorBody(`bad ${API_KEY}`), 400);
      else if (count === 2) sendJSON(response, errorBody("inside"), 200);
      else response.end("<html>");
    });
    const gateway = gatewayFor(server.url, transport);
    const request = { method: "GET", path: "/x", query: { signature: "s3cret" } } as const;
    const refused = await errorOf(gateway.request(request));
    expect(refused).toBeInstanceOf(BadRequestError);
    expect(refused).toMatchObject({ method: "GET", path: "/x" });
    expect(JSON.stringify(refused) + String(refused)).not.toMatch(/s3cret|0123456789abcdef/);
    expect(await errorOf(gateway.request(request))).toBeInstanceOf(BadRequestError);
    const unreadable = await errorOf(gateway.request(request));
    expect(unreadable).toBeInstanceOf(InvalidResponseError);
    expect(String(unreadable)).not.toContain("s3cret");
  });

  it("goes to the address that is asked for", async () => {
    const general = await startServer((_request, response) => sendJSON(response, {}));
    const special = await startServer((_request, response) => sendJSON(response, {}));
    const endpoints = { specialized: special.url, cdn: await unusedAddress() };
    const gateway = gatewayFor(general.url, { ...transport, endpoints, maxRetries: 0 });
    await gateway.request({ method: "GET", path: "/x", specialized: true });
    expect([general.requests.length, special.requests.length]).toEqual([0, 1]);
    const accelerated = gateway.request({ method: "GET", path: "/x", route: "cdn" });
    expect(await errorOf(accelerated)).toBeInstanceOf(APIConnectionError);
    const missing = gateway.request({ method: "GET", path: "/x", specialized: true, route: "cdn" });
    expect(await errorOf(missing)).toBeInstanceOf(ConfigurationError);
  });
});

describe("request", () => {
  it.each<[string, object]>([
    ["path", { path: "files" }],
    ["path", { path: "" }],
    ["path", { path: undefined }],
    ["path", { path: "https://elsewhere.example/v1/files" }],
    ["path", { path: "//elsewhere.example/files" }],
    ["path", { path: "/.." }],
    ["path", { path: "/a/../../b" }],
    ["path", { path: "/./a" }],
    ["path", { path: "/a/%2e%2E/b" }],
    ["path", { path: "/a%2f..%2fb" }],
    ["path", { path: "/a\\..\\b" }],
    ["path", { path: "/a%5c..%5cb" }],
    ["path", { path: "/a?b=c" }],
    ["path", { path: "/a#b" }],
    ["path", { path: "/a b" }],
    ["path", { path: "/a\r\nhost: b" }],
    ["path", { path: "/ü" }],
    ["path", { path: "/100%" }],
    ["method", { method: "TRACE" }],
    ["method", { method: "get" }],
    ["cost", { cost: "free" }],
    ["body", { body: {} }],
    ["stream", { method: "POST", stream: true }],
    ["body.stream", { method: "POST", body: { stream: true } }],
  ])("refuses a %s such as in %j, unsent", async (field, wrong) => {
    const request = { method: "GET", path: "/files", ...wrong } as never;
    const error = await errorOf(gatewayFor("http://127.0.0.1:9/v1").request(request));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect((error as InvalidRequestError).field).toBe(field);
  });

  it("takes dots that are no segments", async () => {
    const server = await startServer((_request, response) => sendJSON(response, {}));
    const gateway = gatewayFor(server.url);
    for (const path of ["/files/a..b", "/.well-known/x", "/v1.5/...", "/a:b@c"]) {
      await gateway.request({ method: "GET", path });
      expect(server.requests.at(-1)?.path).toBe(`/v1${path}`);
    }
  });
});
