import { createEmulator } from "@model-gateway/emulator";
import { describe, expect, it } from "vitest";
import { clientAnswering, runCall } from "./client-calls.js";
import { type Answer, answersOf, type Fixture, fixtures, headersOf } from "./wire-ledger.js";

const KEY = "sk-conformance-emulator";

/** What the client sends for a fixture's call, put to the emulator. */
async function emulatorAnswers({ call, arguments: args }: Fixture): Promise<Response[]> {
  const emulator = createEmulator({ seed: 1, keys: [{ key: KEY, group: "default", moderation: true }] });
  const answers: Response[] = [];
  const gateway = clientAnswering(async (_url, init) => {
    const path = new URL(_url).pathname;
    const headers = { ...(init?.headers as Record<string, string>), authorization: `Bearer ${KEY}` };
    const answer = await emulator.fetch(
      new Request(`http://emulator.local${path}`, { method: init?.method, headers, body: init?.body }),
    );
    answers.push(answer);
    return answer.clone();
  });
  await runCall(gateway, call, args);
  await emulator.close();
  return answers;
}

/** Types by path: `choices[].message.content: string`. Values, lengths and order do not matter. */
function shapeOf(value: unknown, path = ""): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => shapeOf(item, `${path}[]`)))];
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).flatMap(([name, item]) =>
      shapeOf(item, path === "" ? name : `${path}.${name}`),
    );
  }
  return [`${path}: ${value === null ? "null" : typeof value}`];
}

/** Events of a stream with their JSON parsed. */
function readEvents(text: string): unknown[] {
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) =>
    data === "[DONE]" ? data : JSON.parse(data),
  );
}

describe("the emulator answers in the shape of the fixtures", () => {
  const shared = fixtures.filter(([, { emulator }]) => emulator);

  it.each(shared)("%s", async (_title, fixture) => {
    const answers = await emulatorAnswers(fixture);
    const expected = answersOf(fixture);
    expect(answers).toHaveLength(expected.length);
    for (const [index, answer] of answers.entries()) await expectShape(answer, expected[index] as Answer);
  });
});

async function expectShape(answer: Response, expected: Answer): Promise<void> {
  expect(answer.status).toBe(expected.status);
  expect(answer.headers.get("content-type")).toContain(headersOf(expected)["content-type"]);
  if (expected.base64 !== undefined) {
    expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(0);
    return;
  }
  const text = await answer.text();
  const isStream = expected.events !== undefined;
  const actual = shapeOf(isStream ? readEvents(text) : JSON.parse(text));
  // Everything documented is there; more may be, as with any route.
  expect(actual).toEqual(expect.arrayContaining(shapeOf(isStream ? expected.events : expected.body)));
}
