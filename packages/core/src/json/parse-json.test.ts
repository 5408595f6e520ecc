import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gatewayFor } from "../../test/gateways.js";
import { startServer } from "../../test/scripted-server.js";
import { parseJSON } from "./parse-json.js";

describe("parseJSON", () => {
  it.each<[string, unknown]>([
    ['{"id":9007199254740993}', { id: "9007199254740993" }],
    ['{"task_id": 12345678901234567890, "a":1}', { task_id: "12345678901234567890", a: 1 }],
    ['{"a":{"requestId" : -9007199254740993 }}', { a: { requestId: "-9007199254740993" } }],
    ['{"id":9007199254740992}', { id: "9007199254740992" }],
    [
      '{"text":"id\\":90071992547409930}","id":90071992547409931}',
      { text: 'id":90071992547409930}', id: "90071992547409931" },
    ],
  ])("keeps the id of %s exact", (text, value) => {
    expect(parseJSON(text)).toEqual(value);
  });

  it.each([
    '{"id":9007199254740991}',
    '{"id":1234567890123456}',
    '{"id":7}',
    '{"id":"9007199254740993"}',
    '{"id":9007199254740993.5}',
    '{"id":9007199254740993e2}',
    '{"total":90071992547409930}',
    '{"text":"\\"id\\":90071992547409930,"}',
    '["id",90071992547409930]',
  ])("leaves %s as it is", (text) => {
    expect(parseJSON(text)).toEqual(JSON.parse(text));
  });

  it("does not look for ids in answers of more than a megabyte, which are pictures and vectors", () => {
    const filled = (length: number) => {
      const text = '{"id":9007199254740993,"b64_json":""}';
      return text.replace('""', `"${"A".repeat(length - text.length)}"`);
    };
    expect(parseJSON(filled(2 ** 20))).toMatchObject({ id: "9007199254740993" });
    expect(parseJSON(filled(2 ** 20 + 1))).toMatchObject({ id: Number("9007199254740993") });
  });

  it("is JSON.parse for every value without such ids", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseJSON(text)).toEqual(JSON.parse(text));
      }),
    );
    expect(() => parseJSON('{"id":90071992547409930')).toThrow(SyntaxError);
  });

  it("leaves every text inside a value as it is, whatever it looks like", () => {
    const tricky = fc.array(fc.constantFrom('"', "\\", "id", ":", "90071992547409930", ",", "}", " "), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(tricky, (parts) => {
        const value = { text: parts.join(""), [parts.join("").slice(0, 4)]: 1 };
        expect(parseJSON(JSON.stringify(value))).toEqual(value);
      }),
      { numRuns: 500 },
    );
  });
});

it("a paid task with a large number for an id can be read again", async () => {
  const id = "2039485720394857203";
  const server = await startServer(({ method }, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(method === "POST" ? `{"task_id":${id}}` : `{"task_id":${id},"status":"succeeded"}`);
  });
  const { videos } = gatewayFor(server.url);
  const task = await videos.create({ model: "m", content: [{ type: "text", text: "x" }] });
  expect(task.id).toBe(id);
  await videos.retrieve(task.handle);
  expect(server.requests[1]?.path).toBe(`/v1/videos/${id}`);
  expect(videos.readCallback(`{"task_id":${id},"status":"succeeded"}`).id).toBe(id);
});
