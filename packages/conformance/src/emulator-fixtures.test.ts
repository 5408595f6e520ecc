import { createEmulator, type ProfileName } from "@model-gateway/emulator";
import { describe, expect, it } from "vitest";
import { clientAnswering, runCall } from "./client-calls.js";
import { type Answer, answersOf, type Fixture, fixtures, headersOf } from "./wire-ledger.js";

const KEY = "sk-conformance-emulator";

interface Outcome {
  answers: Response[];
  /** What the client makes of them. */
  result: unknown;
}

/** What the client sends for a fixture's call, put to the emulator. */
async function outcomeOf({ call, arguments: args }: Fixture, profile: ProfileName): Promise<Outcome> {
  const keys = [{ key: KEY, group: "default", moderation: true }];
  const emulator = createEmulator({ seed: 1, keys, profile });
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
  const result = await runCall(gateway, call, args);
  await emulator.close();
  return { answers, result };
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

const PROFILES: ProfileName[] = ["spec", "tolerant", "ark", "kling", "bailian", "newapi"];
const shared = fixtures.filter(([, { emulator }]) => emulator);

const WRAPPER = [
  ...["code: number", "message: string", "data.task_id: string", "data.task_status: string"],
  ...["data.task_info.external_task_id: string", "data.created_at: number", "data.updated_at: number"],
];
const NEW_WRAPPED_TASK = ["a created image2video task", "a created omni-video task"];
/** What a profile leaves out of what is documented, by the name of the fixture: that is what it is for. */
const LEFT_OUT: Partial<Record<ProfileName, Record<string, string[]>>> = {
  kling: Object.fromEntries(NEW_WRAPPED_TASK.map((name) => [name, ["task_id: string"]])),
  bailian: Object.fromEntries(
    NEW_WRAPPED_TASK.flatMap((name) => [
      [name, ["task_id: string"]],
      [`${name}, as one upstream sends it`, WRAPPER],
    ]),
  ),
  newapi: {
    "chunks and a marker": ["[]: string"],
    ...Object.fromEntries(
      NEW_WRAPPED_TASK.map((name) => [
        `${name}, as one upstream sends it`,
        [...WRAPPER, "request_id: string"],
      ]),
    ),
  },
};
describe.each(PROFILES)("in the profile %s the emulator answers in the shape of the fixtures", (profile) => {
  it.each(shared)("%s", async (_title, fixture) => {
    const { answers, result } = await outcomeOf(fixture, profile);
    const expected = answersOf(fixture);
    expect(answers).toHaveLength(expected.length);
    const missing: string[] = [];
    for (const [index, answer] of answers.entries())
      missing.push(...(await missingIn(answer, expected[index] as Answer)));
    expect(missing.sort()).toEqual([...(LEFT_OUT[profile]?.[fixture.name] ?? [])].sort());

    const described = await outcomeOf(fixture, "spec");
    expect(toldBy(result)).toEqual(expect.arrayContaining(toldBy(described.result)));
  });
});

/** What the client tells of an answer, but for the answer itself. */
function toldBy(result: unknown): string[] {
  return shapeOf(result).filter((path) => !/^raw[.:[]/.test(path));
}

/** What an answer lacks of what is documented; more may be there, as with any route. */
async function missingIn(answer: Response, expected: Answer): Promise<string[]> {
  expect(answer.status).toBe(expected.status);
  expect(answer.headers.get("content-type")).toContain(headersOf(expected)["content-type"]);
  if (expected.base64 !== undefined) {
    expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(0);
    return [];
  }
  const text = await answer.text();
  const isStream = expected.events !== undefined;
  const actual = new Set(shapeOf(isStream ? readEvents(text) : JSON.parse(text)));
  return shapeOf(isStream ? expected.events : expected.body).filter((path) => !actual.has(path));
}
