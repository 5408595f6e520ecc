import { describe, expect, it } from "vitest";
import { clientAnswering, findCall, runCall } from "./client-calls.js";
import { endpoints, fixtures } from "./wire-ledger.js";

const served = endpoints.filter(({ call }) => call !== null);

/** A path with variables as a pattern. */
function pattern(path: string): RegExp {
  return new RegExp(`^https://gateway\\.example/v1${path.replace(/\{\w+\}/g, "[^/]+")}$`);
}

describe("the endpoint ledger", () => {
  it("names only calls that the client has, and names each endpoint once", () => {
    const gateway = clientAnswering(() => new Response());
    for (const { call } of served) expect(() => findCall(gateway, call as string)).not.toThrow();
    const names = endpoints.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(served.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
    "%s is what the client sends",
    async (_name, { method, path, call, required, body, paid }) => {
      const family = /image2video|omni-video/.exec(path)?.[0] ?? "content";
      const fixture = fixtures.find(([, candidate]) => candidate.call === call)?.[1];
      if (fixture === undefined) throw new Error(`No fixture calls ${call}.`);
      const args = path.endsWith("/{task_id}") ? [{ v: 1, family, id: "t1" }] : fixture.arguments;
      const requests: Array<{ url: string; init?: RequestInit }> = [];
      const gateway = clientAnswering((url, init) => {
        requests.push({ url, init });
        return new Response(null, { status: 400 });
      });
      await runCall(gateway, call as string, args).catch(() => {});
      expect(requests).toHaveLength(1);
      const [{ url, init }] = requests as [{ url: string; init: RequestInit }];
      expect(init.method).toBe(method);
      expect(url).toMatch(pattern(path));
      const headers = init.headers as Record<string, string>;
      expect(headers["authorization"]).toMatch(/^Bearer sk-/);
      const types: Record<string, RegExp> = {
        json: /^application\/json$/,
        multipart: /^multipart\/form-data; boundary=/,
      };
      if (body === "none") expect(headers["content-type"]).toBeUndefined();
      else expect(headers["content-type"]).toMatch(types[body] as RegExp);
      expect(headers["idempotency-key"] !== undefined).toBe(paid);
      const sent =
        body === "multipart"
          ? Object.fromEntries(await new Response(init.body, { headers }).formData())
          : JSON.parse(String(init.body ?? "{}"));
      for (const field of required) expect(sent).toHaveProperty(field);
    },
  );

  it.each(
    served
      .filter(({ required }) => required.length > 0)
      .map((endpoint) => [endpoint.path, endpoint] as const),
  )("the client refuses %s without its required fields, unsent", async (_path, { call, required }) => {
    let requests = 0;
    const gateway = clientAnswering(() => {
      requests++;
      return new Response();
    });
    const error = await runCall(gateway, call as string, [{}]).catch((thrown: unknown) => thrown);
    const fields = (error as { problems: Array<{ field: string }> }).problems.map(({ field }) => field);
    expect(fields).toEqual(expect.arrayContaining(required));
    expect(requests).toBe(0);
  });
});
