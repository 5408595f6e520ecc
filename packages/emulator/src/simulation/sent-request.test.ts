import { describe, expect, it } from "vitest";
import { arrivedRequest, readSentRequest } from "./sent-request.js";

const ADDRESS = "https://gateway.example/v1/videos?limit=1";

/** What a server sees of a request. */
async function seen(request: Request) {
  const { method, url, headers } = request;
  return { method, url, headers: Object.fromEntries(headers), body: await request.text() };
}

describe("what is sent", () => {
  it.each<[string, string | URL | Request, RequestInit | undefined]>([
    ["an address", ADDRESS, undefined],
    ["a URL with headers", new URL(ADDRESS), { headers: { Accept: "text/html" } }],
    ["a text", ADDRESS, { method: "POST", body: "a fox: ü" }],
    ["JSON", ADDRESS, { method: "POST", body: "{}", headers: { "content-type": "application/json" } }],
    ["bytes", ADDRESS, { method: "PUT", body: Uint8Array.of(1, 2, 3) }],
    ["fields", ADDRESS, { method: "POST", body: new URLSearchParams({ a: "1" }) }],
    ["a method in small letters", ADDRESS, { method: "post", body: "x" }],
    ["a request", new Request(ADDRESS, { method: "POST", body: "x", headers: { "x-a": "1" } }), undefined],
    ["a request that is changed", new Request(ADDRESS, { headers: { "x-a": "1" } }), { method: "DELETE" }],
  ])("of %s is what the platform would send", async (_what, input, init) => {
    const expected = await seen(new Request(input instanceof Request ? input.clone() : input, init));
    expect(await seen(arrivedRequest(await readSentRequest(input, init)))).toEqual(expected);
  });

  it.each<[string, string, RequestInit]>([
    ["a body of what has none", ADDRESS, { body: "x" }],
    ["a method that may not be", ADDRESS, { method: "CONNECT" }],
    ["no address", "/v1", {}],
    ["a name and a password in the address", "https://a:b@gateway.example/", {}],
  ])("is refused with %s", async (_what, input, init) => {
    await expect(readSentRequest(input, init)).rejects.toThrow(TypeError);
  });

  it("ends with the signal of the call, or else of the request", async () => {
    const [own, other] = [new AbortController(), new AbortController()];
    const request = new Request(ADDRESS, { signal: own.signal });
    const sent = await readSentRequest(request);
    expect((await readSentRequest(request, { signal: other.signal })).signal).toBe(other.signal);
    own.abort(new Error("not any more"));
    expect(sent.signal.aborted).toBe(true);
    await expect(readSentRequest(request)).rejects.toThrow("not any more");
    expect((await readSentRequest(ADDRESS)).signal.aborted).toBe(false);
  });
});
