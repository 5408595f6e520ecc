import { join } from "node:path";
import { ModelGateway } from "@model-gateway/core";
import { createEmulator } from "@model-gateway/emulator";
import { describe, expect, it } from "vitest";
import { clientAnswering, findCall, runCall } from "./client-calls.js";
import { readSource, sourcesOf } from "./source-files.js";
import { endpoints, fixtures } from "./wire-ledger.js";

/** Where the emulator has its four base addresses. */
const BASE_PATHS = {
  general: "/v1",
  cdn: "/cdn/v1",
  specialized: "/specialized/v1",
  specializedCdn: "/specialized-cdn/v1",
};
const documented = endpoints.filter((endpoint) => endpoint.documented !== false);
const named = <T extends { method: string; path: string }>(list: readonly T[]) =>
  list.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const);

/** A path with variables as a pattern. */
function pattern(path: string): RegExp {
  return new RegExp(`^https://gateway\\.example/v1${path.replace(/\{\w+\}/g, "[^/]+")}$`);
}

describe("the endpoint ledger", () => {
  it("names only calls that the client has, and names each endpoint once", () => {
    const gateway = clientAnswering(() => new Response());
    for (const { call } of endpoints) expect(() => findCall(gateway, call)).not.toThrow();
    const names = endpoints.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(named(documented))(
    "%s is what the client sends",
    async (_name, { method, path, call, required, body, paid, family }) => {
      const fixture = fixtures.find(([, candidate]) => candidate.call === call)?.[1];
      if (fixture === undefined) throw new Error(`No fixture calls ${call}.`);
      const args = path.endsWith("/{task_id}") ? [{ v: 1, family, id: "t1" }] : fixture.arguments;
      const requests: Array<{ url: string; init?: RequestInit }> = [];
      const gateway = clientAnswering((url, init) => {
        requests.push({ url, init });
        // Final for every call: a refusal has texts tried one by one.
        return new Response(null, { status: 401 });
      });
      await runCall(gateway, call, args).catch(() => {});
      expect(requests).toHaveLength(1);
      const [{ url, init }] = requests as [{ url: string; init: RequestInit }];
      expect(init.method).toBe(method);
      expect(url).toMatch(pattern(path));
      const headers = init.headers as Record<string, string>;
      expect(headers["authorization"]).toMatch(/^Bearer sk-/);
      const types = { json: /^application\/json$/, multipart: /^multipart\/form-data; boundary=/ };
      if (body === "none") expect(headers["content-type"]).toBeUndefined();
      else expect(headers["content-type"]).toMatch(types[body]);
      expect(headers["idempotency-key"] !== undefined).toBe(paid);
      const sent =
        body === "multipart"
          ? Object.fromEntries(await new Response(init.body, { headers }).formData())
          : JSON.parse(String(init.body ?? "{}"));
      for (const field of required) expect(sent).toHaveProperty(field);
    },
  );

  it.each(named(documented.filter(({ required }) => required.length > 0)))(
    "the client refuses %s without its required fields, unsent",
    async (_name, { call, required }) => {
      let requests = 0;
      const gateway = clientAnswering(() => {
        requests++;
        return new Response();
      });
      const error = await runCall(gateway, call, [{}]).catch((thrown: unknown) => thrown);
      const fields = (error as { problems: Array<{ field: string }> }).problems.map(({ field }) => field);
      expect(fields).toEqual(expect.arrayContaining(required));
      expect(requests).toBe(0);
    },
  );

  it.each(named(documented.filter(({ path }) => !path.includes("{"))))(
    "%s is an endpoint and no base address, to the client",
    (_name, { path }) => {
      const baseURL = `https://gateway.example/v1${path}`;
      expect(() => new ModelGateway({ apiKey: "sk-x", baseURL })).toThrow(`leave out ${path}`);
    },
  );

  it("is spelled by the client once for each path", () => {
    const paths = new Set(endpoints.map(({ path }) => path.replace("/{task_id}", "")));
    const spelled = sourcesOf("core")
      .flatMap(({ strings }) => strings)
      .filter((text) => paths.has(text));
    expect([...spelled].sort()).toEqual([...paths].sort());
  });

  it("has all that the emulator serves, and nothing else", () => {
    const { strings } = readSource(join("packages", "emulator", "src", "app", "routes.ts"));
    const served = strings
      .filter((text) => text.startsWith("/"))
      .map((path) => path.replace(/:(\w+)/, "{$1}"));
    expect(served.sort()).toEqual(endpoints.map(({ path }) => path).sort());
  });

  it.each(named(endpoints))(
    "%s is where the emulator serves it, and nowhere else",
    async (_name, endpoint) => {
      const { method, path, bases = Object.keys(BASE_PATHS), body } = endpoint;
      const emulator = createEmulator({
        seed: 1,
        keys: [{ key: "sk-all", group: "default", moderation: true }],
      });
      const knows = async (below: string) => {
        const answer = await emulator.fetch(
          new Request(`http://emulator.local${below}${path.replace("{task_id}", "t1")}`, {
            method,
            headers: {
              authorization: "Bearer sk-all",
              ...(body === "json" && { "content-type": "application/json" }),
            },
            ...(body === "json" && { body: "{}" }),
            ...(body === "multipart" && { body: new FormData() }),
          }),
        );
        return !(await answer.text()).includes(`There is no ${method} `);
      };
      for (const [base, below] of Object.entries(BASE_PATHS)) {
        expect([base, await knows(below)]).toEqual([base, bases.includes(base)]);
      }
      expect(await knows("")).toBe(bases.length === 0);
      await emulator.close();
    },
  );
});
