import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ModelGateway } from "@model-gateway/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { API_KEY, clientAnswering, runCall } from "./client-calls.js";
import { type Answer, answersOf, bodyOf, type Fixture, fixtures, headersOf } from "./wire-ledger.js";

/** A client of a real server that gives the fixture's answers in order, the last one to everything after. */
async function clientOf(fixture: Fixture): Promise<ModelGateway> {
  const answers = answersOf(fixture);
  const server = createServer((request, response) => {
    const answer = (answers.length > 1 ? answers.shift() : answers[0]) as Answer;
    request
      .resume()
      .on("end", () => response.writeHead(answer.status, headersOf(answer)).end(bodyOf(answer)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const baseURL = `http://127.0.0.1:${port}/v1`;
  return new ModelGateway({ apiKey: API_KEY, baseURL, endpoints: { specialized: baseURL }, maxRetries: 0 });
}

async function settle(promise: Promise<unknown>): Promise<{ result?: unknown; error?: unknown }> {
  try {
    return { result: await promise };
  } catch (error) {
    return { error };
  }
}

function expectOutcome(fixture: Fixture, { result, error }: { result?: unknown; error?: unknown }): void {
  if (fixture.error === undefined) {
    if (error !== undefined) throw error;
    expect(result).toMatchObject(fixture.result as object);
    return;
  }
  expect(result).toBeUndefined();
  // Hidden properties of errors count too: they are compared one by one.
  for (const [name, expected] of Object.entries(fixture.error)) {
    const actual = (error as Record<string, unknown>)[name];
    if (typeof expected === "object") expect(actual, name).toMatchObject(expected as object);
    else expect(actual, name).toBe(expected);
  }
}

describe("the client reads every fixture", () => {
  it.each(fixtures)("%s", async (_title, fixture) => {
    const gateway = await clientOf(fixture);
    expectOutcome(fixture, await settle(runCall(gateway, fixture.call, fixture.arguments)));
  });
});

describe("the client reads streams however their bytes are split", () => {
  it.each(fixtures.filter(([, { answer }]) => headersOf(answer)["content-type"] === "text/event-stream"))(
    "%s",
    async (_title, fixture) => {
      const bytes = bodyOf(fixture.answer);
      for (let split = 0; split <= bytes.length; split++) {
        const gateway = clientAnswering(() => {
          const body = new ReadableStream<Uint8Array>({
            start(controller) {
              controller.enqueue(bytes.slice(0, split));
              controller.enqueue(bytes.slice(split));
              controller.close();
            },
          });
          return new Response(body, { status: fixture.answer.status, headers: headersOf(fixture.answer) });
        });
        expectOutcome(fixture, await settle(runCall(gateway, fixture.call, fixture.arguments)));
      }
    },
  );
});
