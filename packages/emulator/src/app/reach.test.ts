import { request } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEmulator, type EmulatorOptions, type ListenOptions } from "../index.js";
import { bearer, startEmulator } from "../testing/start-emulator.js";

async function listening(options: ListenOptions, settings: EmulatorOptions = {}) {
  const emulator = await createEmulator(settings).listen(options);
  onTestFinished(() => emulator.close());
  return emulator;
}

/** The status of a health check under another name, which `fetch` does not let a program send. */
function statusAs(host: string, { port }: URL): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path: "/_emulator/health", headers: { host }, agent: false };
    request(options, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on("error", reject)
      .end();
  });
}

describe("an address", () => {
  it("is the loopback by default", async () => {
    const { url } = await listening({});
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    expect(await statusAs("10.1.2.3", new URL(url))).toBe(403);
    expect(await statusAs("host.docker.internal:4010", new URL(url))).toBe(200);
  });

  it("may be all that the machine has: IP addresses may then control it, and names not", async () => {
    const { url } = await listening({ host: "0.0.0.0" });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    for (const host of ["10.1.2.3", "10.1.2.3:4010", "[fd00::1]:4010"]) {
      expect(await statusAs(host, new URL(url))).toBe(200);
    }
    for (const host of ["attacker.example", "10.1.2.3.attacker.example"]) {
      expect(await statusAs(host, new URL(url))).toBe(403);
    }
  });

  it("is told as it is advertised, under which name it may be controlled", async () => {
    const emulator = await listening({ advertise: "http://gateway.test:4010" });
    expect(Object.values(emulator.urls)).toEqual([
      "http://gateway.test:4010/v1",
      "http://gateway.test:4010/cdn/v1",
      "http://gateway.test:4010/specialized/v1",
      "http://gateway.test:4010/specialized-cdn/v1",
    ]);
    const { origin } = new URL(emulator.url);
    const health = (url: string) => emulator.fetch(`${url}/_emulator/health`);
    expect((await health(origin)).status).toBe(200);
    expect((await health("http://other.test:4010")).status).toBe(403);
  });

  it.each([
    "gateway.test:4010",
    "ftp://gateway.test",
    "http://gateway.test/v1",
    "http://u:p@gateway.test",
    "",
  ])("cannot be advertised as %j", async (advertise) => {
    await expect(createEmulator().listen({ advertise })).rejects.toThrow(
      /advertise must be an address without/,
    );
  });

  it("must be one of the machine", async () => {
    await expect(createEmulator().listen({ host: "192.0.2.1" })).rejects.toThrow(
      "192.0.2.1 is no address of this machine",
    );
  });
});

describe("pages of other origins", () => {
  const preflight = (url: string, origin: string) =>
    fetch(`${url}/chat/completions`, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type",
      },
    });
  const ask = (url: string, origin: string) =>
    fetch(`${url}/models`, { headers: { ...bearer("sk-emulator"), origin } });

  it("may not call it unless that is asked for", async () => {
    const { emulator } = await startEmulator();
    expect((await ask(emulator.url, "http://a.test")).headers.get("access-control-allow-origin")).toBeNull();
    expect((await preflight(emulator.url, "http://a.test")).status).toBe(404);
  });

  it("may, where they are named", async () => {
    const { emulator } = await startEmulator({ cors: ["http://a.test", "https://b.test"] });
    for (const origin of ["http://a.test", "https://b.test"]) {
      const allowed = await preflight(emulator.url, origin);
      expect(allowed.status).toBe(204);
      expect(allowed.headers.get("access-control-allow-origin")).toBe(origin);
      expect(allowed.headers.get("access-control-allow-headers")).toContain("authorization");
      const answer = await ask(emulator.url, origin);
      expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
      expect(answer.headers.get("access-control-expose-headers")).toContain("x-request-id");
    }
    const foreign = await ask(emulator.url, "http://c.test");
    expect(foreign.headers.get("access-control-allow-origin")).toBeNull();
  });

  it("may all, with an asterisk, read errors and streams too", async () => {
    const { emulator, post } = await startEmulator({ cors: ["*"] });
    const wrong = await fetch(`${emulator.url}/models`, { headers: { origin: "http://a.test" } });
    expect([wrong.status, wrong.headers.get("access-control-allow-origin")]).toEqual([401, "*"]);
    const body = { model: "local-chat", stream: true, messages: [{ role: "user", content: "Hello" }] };
    const stream = await post("/chat/completions", body);
    expect(stream.headers.get("access-control-allow-origin")).toBe("*");
    expect(await stream.text()).toContain("[DONE]");
  });

  it("never control it", async () => {
    const { emulator } = await startEmulator({ cors: ["*"] });
    const response = await fetch(new URL("/_emulator/api/keys", emulator.url), {
      headers: { origin: "http://a.test" },
    });
    expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([403, null]);
  });

  it.each(["a.test", "http://a.test/page"])("cannot be named %j", (origin) => {
    expect(() => createEmulator({ cors: [origin] })).toThrow("cors must be an address");
  });
});
