import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { createEmulator } from "../index.js";
import { startEmulator } from "../testing/start-emulator.js";

/** The status of a request with headers that `fetch` does not let a program set. */
function statusOf(
  port: string,
  headers: Record<string, string>,
  path = "/_emulator/health",
): Promise<number> {
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port, path, headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on("error", reject)
      .end();
  });
}

describe("the control API", () => {
  it("answers this machine under its own names", async () => {
    const { port } = new URL((await startEmulator()).emulator.url);
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) {
      expect(await statusOf(port, { host })).toBe(200);
      expect(await statusOf(port, { host, origin: `http://${host}` })).toBe(200);
    }
  });

  it.each([
    ["a name made to lead here", { host: "attacker.example" }],
    ["a name that begins like ours", { host: "127.0.0.1.attacker.example" }],
    ["a page elsewhere", { origin: "https://attacker.example" }],
    ["a page on another port of this machine", { origin: "http://127.0.0.1:1" }],
    ["a page without an origin", { origin: "null" }],
  ])("refuses %s", async (_, headers) => {
    const { port } = new URL((await startEmulator()).emulator.url);
    for (const path of ["/_emulator/health", "/_emulator/api/keys", "/_emulator"]) {
      expect(await statusOf(port, headers, path)).toBe(403);
    }
  });

  it("is reached without a port too, under the same rule", async () => {
    const emulator = createEmulator();
    const { origin } = new URL(emulator.url);
    const ask = (url: string, headers = {}) => emulator.fetch(`${url}/_emulator/health`, { headers });
    expect((await ask(origin)).status).toBe(200);
    expect((await ask("http://attacker.example")).status).toBe(403);
    expect((await ask(origin, { origin: "http://attacker.example" })).status).toBe(403);
    await emulator.close();
  });
});
