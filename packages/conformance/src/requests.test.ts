import { readFileSync } from "node:fs";
import { join } from "node:path";
import { InvalidRequestError } from "@model-gateway/core";
import { createEmulator } from "@model-gateway/emulator";
import { describe, expect, it } from "vitest";
import { clientAnswering, runCall } from "./client-calls.js";
import { type Endpoint, endpoints, ROOT } from "./wire-ledger.js";

interface WireRequest {
  name: string;
  call: string;
  arguments: unknown[];
}
interface AcceptedRequest extends WireRequest {
  sends: { method: string; path: string; body: unknown };
}
interface RefusedRequest extends WireRequest {
  /** Fields that the client names without sending anything. */
  fields: string[];
}

const { accepted, refused } = JSON.parse(readFileSync(join(ROOT, "wire/requests.json"), "utf8")) as {
  accepted: AcceptedRequest[];
  refused: RefusedRequest[];
};

/** Puts a body to the emulator without the client. */
async function post(path: string, body: unknown): Promise<Response> {
  const emulator = createEmulator({ seed: 1, keys: [{ key: "sk-all", group: "default", moderation: true }] });
  const answer = await emulator.fetch(
    new Request(`http://emulator.local/v1${path}`, {
      method: "POST",
      headers: { authorization: "Bearer sk-all", "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  );
  await emulator.close();
  return answer;
}

describe("requests that the API description allows", () => {
  it.each(accepted.map((request) => [request.name, request] as const))(
    "%s: sent as they are",
    async (_name, { call, arguments: args, sends }) => {
      const requests: Array<{ url: string; init?: RequestInit }> = [];
      const gateway = clientAnswering((url, init) => {
        requests.push({ url, init });
        return new Response(null, { status: 400 });
      });
      await runCall(gateway, call, args).catch(() => {});
      const [request] = requests;
      expect(request?.init?.method).toBe(sends.method);
      expect(request?.url).toBe(`https://gateway.example/v1${sends.path}`);
      expect(JSON.parse(String(request?.init?.body))).toEqual(sends.body);
    },
  );

  it.each(accepted.map((request) => [request.name, request] as const))(
    "%s: taken by the emulator",
    async (_name, { sends }) => {
      const answer = await post(sends.path, sends.body);
      expect(answer.status, answer.status === 200 ? "" : await answer.clone().text()).toBe(200);
    },
  );
});

describe("requests that break a hard limit", () => {
  it.each(refused.map((request) => [request.name, request] as const))(
    "%s: refused by the client unsent",
    async (_name, { call, arguments: args, fields }) => {
      let sent = 0;
      const gateway = clientAnswering(() => {
        sent++;
        return new Response();
      });
      const error = await runCall(gateway, call, args).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(InvalidRequestError);
      expect((error as InvalidRequestError).problems.map(({ field }) => field)).toEqual(fields);
      expect(sent).toBe(0);
    },
  );

  it.each(refused.map((request) => [request.name, request] as const))(
    "%s: refused by the emulator by name",
    async (_name, { call, arguments: args, fields }) => {
      const { path } = endpoints.find((endpoint) => endpoint.call === call) as Endpoint;
      const answer = await post(path, args[0]);
      expect(answer.status).toBe(400);
      const { error } = (await answer.json()) as { error: { message: string } };
      for (const field of fields) expect(error.message).toContain(field.split("[")[0]);
    },
  );
});
