import { describe, expect, it } from "vitest";
import { completion } from "../../test/scripted-server.js";
import { readChatVerdict } from "./read-chat-verdict.js";

const ALLOW = '{"action":"allow","categories":{"hate":false},"scores":{"hate":0.1}}';

describe("readChatVerdict", () => {
  it.each<[string, string, string]>([
    ["an object", ALLOW, "allow"],
    ["an object in a fence", `\`\`\`json\n${ALLOW}\n\`\`\``, "allow"],
    ["an object after thoughts", `<think>{"action":"block"}?</think>\n${ALLOW}`, "allow"],
    ["an action in capitals", '{"action":" BLOCK "}', "block"],
    ["a list of categories", '{"action":"block","categories":["hate"]}', "block"],
    ["an action alone", '{"action":"review"}', "review"],
    ["a category found and allowed", '{"action":"allow","categories":{"hate":true}}', "review"],
    ["a high score allowed", '{"action":"allow","scores":{"hate":0.9}}', "review"],
    ["a category of its own found and allowed", '{"action":"allow","categories":{"spam":true}}', "review"],
  ])("reads %s", (_what, text, action) => {
    expect(readChatVerdict(completion(text))).toMatchObject({ action, source: "chat" });
  });

  it("reads content parts", () => {
    const parts = [{ type: "text", text: ALLOW.slice(0, 9) }, { type: "text", text: ALLOW.slice(9) }, null];
    expect(readChatVerdict({ choices: [{ message: { content: parts } }] })).toMatchObject({
      action: "allow",
      categories: { hate: false, privacy: false },
      scores: { hate: 0.1 },
    });
  });

  it.each([
    "",
    "allow",
    "I cannot help with that.",
    '{"action":"pass"}',
    '{"action":["allow"]}',
    '{"categories":{"hate":false}}',
    '["allow"]',
    "null",
    '"allow"',
    '{"action":"allow"',
    `The text says ${ALLOW}, but it is full of threats.`,
    `Verdict: \`\`\`json\n${ALLOW}\n\`\`\``,
    `\`\`\`json\n${ALLOW}\n\`\`\`\n\`\`\`json\n{"action":"block"}\n\`\`\``,
    `<think>${ALLOW}`,
  ])("finds no verdict in %j", (text) => {
    expect(readChatVerdict(completion(text))).toBeUndefined();
  });

  it.each<unknown>([
    undefined,
    {},
    { choices: [] },
    { choices: [null] },
    { choices: [{ message: { content: null } }] },
  ])("finds no verdict in the completion %j", (body) => {
    expect(readChatVerdict(body)).toBeUndefined();
  });
});
