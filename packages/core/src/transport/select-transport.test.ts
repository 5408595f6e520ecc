import { afterEach, describe, expect, it, vi } from "vitest";
import { selectTransport } from "./select-transport.js";
import type { Transport } from "./transport.js";

const DISPATCHER = Symbol.for("undici.globalDispatcher.1");
const globals = globalThis as Record<symbol, unknown>;
new Headers();
const original = globals[DISPATCHER];

afterEach(() => {
  vi.unstubAllGlobals();
  globals[DISPATCHER] = original;
});

/** Which of them a request goes through. */
function ways() {
  const taken: string[] = [];
  class Agent {
    dispatch() {
      taken.push("dispatcher");
      return true;
    }
  }
  globals[DISPATCHER] = new Agent();
  const fetchThat = (name: string) => async () => {
    taken.push(name);
    return new Response();
  };
  return { taken, fetchThat };
}

function send(transport: Transport): void {
  const sink = { head() {}, data: () => true, end() {}, failed() {} };
  transport.send({ method: "GET", origin: "http://127.0.0.1:9", path: "/", headers: {} }, sink);
}

describe("selectTransport", () => {
  it("takes Node's dispatcher where fetch is Node's own", () => {
    const { taken } = ways();
    const transport = selectTransport(undefined);
    send(transport);
    expect([transport.name, transport.resolvesHere?.(), taken]).toEqual(["dispatch", true, ["dispatcher"]]);
  });

  it("takes the function that the user gives, and does not claim to know who resolves its names", async () => {
    const { taken, fetchThat } = ways();
    const transport = selectTransport(fetchThat("user"));
    send(transport);
    await vi.waitFor(() => expect(taken).toEqual(["user"]));
    expect([transport.name, transport.resolvesHere?.()]).toEqual(["fetch", undefined]);
  });

  it("takes a global fetch that was replaced, from the next request on and as long as it is", async () => {
    const { taken, fetchThat } = ways();
    const transport = selectTransport(undefined);
    for (const name of ["mock", "other mock"]) {
      vi.stubGlobal("fetch", fetchThat(name));
      expect(transport.resolvesHere?.()).toBe(false);
      send(transport);
      await vi.waitFor(() => expect(taken.at(-1)).toBe(name));
    }
    vi.unstubAllGlobals();
    expect(transport.resolvesHere?.()).toBe(true);
    send(transport);
    expect(taken).toEqual(["mock", "other mock", "dispatcher"]);
  });

  it("does not take for Node's own what is no function at all", () => {
    const { taken } = ways();
    const transport = selectTransport(undefined);
    vi.stubGlobal("fetch", { toString: () => "fetchImpl" });
    send(transport);
    expect([taken, transport.resolvesHere?.()]).toEqual([[], false]);
  });

  it("does not take for Node's own what is not there", async () => {
    const { taken } = ways();
    vi.resetModules();
    vi.stubGlobal("fetch", undefined);
    const fresh = await import("./select-transport.js");
    const transport = fresh.selectTransport(undefined);
    send(transport);
    expect([taken, transport.resolvesHere?.()]).toEqual([[], false]);
  });

  it("leaves names to a proxy that has been installed", () => {
    ways();
    class ProxyAgent {
      dispatch() {
        return true;
      }
    }
    globals[DISPATCHER] = new ProxyAgent();
    expect(selectTransport(undefined).resolvesHere?.()).toBe(false);
  });

  it.each<[string, Record<string, unknown>]>([
    ["Bun", { Bun: {} }],
    ["Deno", { Deno: {} }],
    ["a runtime that names no version of Node", { process: { ...process, versions: {} } }],
    ["a runtime without versions", { process: { getBuiltinModule: undefined } }],
    ["a runtime without process", { process: undefined }],
  ])("takes fetch in %s", async (_runtime, stubs) => {
    const { taken, fetchThat } = ways();
    for (const [name, value] of Object.entries(stubs)) vi.stubGlobal(name, value);
    const transport = selectTransport(undefined);
    vi.stubGlobal("fetch", fetchThat("fetch"));
    send(transport);
    vi.stubGlobal("process", process);
    expect([transport.name, transport.resolvesHere?.()]).toEqual(["fetch", undefined]);
    await vi.waitFor(() => expect(taken).toEqual(["fetch"]));
  });

  it("takes fetch in a Node without a dispatcher", () => {
    ways();
    globals[DISPATCHER] = {};
    expect(selectTransport(undefined).name).toBe("fetch");
  });

  it("looks for the dispatcher when something is to be sent, once for all requests", () => {
    const { taken } = ways();
    const installed = globals[DISPATCHER];
    globals[DISPATCHER] = undefined;
    const touched = vi.fn();
    vi.stubGlobal(
      "Headers",
      class {
        constructor() {
          touched();
          globals[DISPATCHER] = installed;
        }
      },
    );
    const transport = selectTransport(undefined);
    expect(touched).not.toHaveBeenCalled();
    send(transport);
    send(transport);
    expect([taken, touched.mock.calls.length]).toEqual([["dispatcher", "dispatcher"], 1]);
  });
});
