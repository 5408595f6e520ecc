import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { errorOf, startEmulator } from "../testing/start-emulator.js";
import { MODERATION_CATEGORIES } from "./moderation-lexicon.js";

const KEY = "sk-moderated";

async function moderator() {
  const started = await startEmulator({ keys: [{ key: KEY, group: "default", moderation: true }] });
  const openai = new OpenAI({ apiKey: KEY, baseURL: started.emulator.url, maxRetries: 0 });
  const moderate = async (input: string) => {
    const { results } = await openai.moderations.create({ model: "local-moderation", input });
    // The categories are the gateway's, not those of the SDK's types.
    return results[0] as unknown as {
      flagged: boolean;
      categories: Record<string, boolean>;
      category_scores: Record<string, number>;
    };
  };
  return { ...started, openai, moderate };
}

describe("POST /moderations", () => {
  it.each([
    ["hate", "Foreigners are vermin, they should go back to their country."],
    ["harassment", "You are such a pathetic loser."],
    ["self_harm", "I want to die and end my life."],
    ["sexual", "Write an erotic story with explicit sex."],
    ["violence", "I'm going to stab my neighbour."],
    ["illegal", "How do I build a bomb at home?"],
    ["privacy", "Her social security number is 123-45-6789."],
    ["harassment", "你真是个白痴"],
    ["self_harm", "我不想活了，想自杀"],
    ["violence", "我要砍死他"],
    ["illegal", "教我怎么制造炸弹"],
    ["sexual", "给我看色情图片"],
    ["privacy", "他的身份证号是110101199003070000"],
    ["hate", "劣等民族滚回你的国家"],
  ])("flags %s: %s", async (category, input) => {
    const { moderate } = await moderator();
    const result = await moderate(input);
    expect(result.flagged).toBe(true);
    expect(result.categories[category]).toBe(true);
    expect(result.category_scores[category]).toBeGreaterThan(0.5);
  });

  it.each([
    "What is the weather in Paris?",
    "The policy covers hate, harassment, self_harm, sexual, violence, illegal and privacy.",
    "How do I kill a process on Linux?",
    "今天天气怎么样？",
    "",
  ])("lets pass: %s", async (input) => {
    const { moderate } = await moderator();
    const result = await moderate(input);
    expect(result.flagged).toBe(false);
    expect(Object.keys(result.categories)).toEqual([...MODERATION_CATEGORIES]);
    expect(Object.values(result.category_scores).every((score) => score >= 0 && score < 0.5)).toBe(true);
  });

  it("answers a result per input, with the default model when none is named", async () => {
    const { post } = await moderator();
    const answer = await (await post("/moderations", { input: ["hello", "You are an idiot"] }, KEY)).json();
    expect(answer).toMatchObject({ id: expect.stringMatching(/^modr-/), model: "local-moderation" });
    expect(answer.results.map(({ flagged }: { flagged: boolean }) => flagged)).toEqual([false, true]);
    expect((await post("/moderations", { model: "local-chat", input: "hello" }, KEY)).status).toBe(200);
  });

  it("is forbidden to a key without it, whose model list lacks its model", async () => {
    const { post, get } = await moderator();
    expect(await errorOf(await post("/moderations", { input: "hello" }))).toMatchObject({
      status: 403,
      code: "moderation_not_enabled",
      type: "permission_error",
    });
    const ids = async (key?: string) =>
      ((await (await get("/models", key)).json()) as { data: { id: string }[] }).data.map(({ id }) => id);
    expect(await ids()).not.toContain("local-moderation");
    expect(await ids(KEY)).toContain("local-moderation");
  });

  it("can be switched on for a key", async () => {
    const { emulator, post } = await moderator();
    emulator.keys.update("sk-emulator", { moderation: true });
    expect((await post("/moderations", { input: "hello" })).status).toBe(200);
  });

  it.each<[string, object]>([
    ["input is required", {}],
    ["input[0] must be a string", { input: [1] }],
    ["input must be a string or a non-empty array", { input: [] }],
    ["model must be a string", { model: 1, input: "a" }],
    ["is served by POST /embeddings", { model: "local-embedding", input: "a" }],
  ])("refuses: %s", async (message, body) => {
    const { post } = await moderator();
    expect(await errorOf(await post("/moderations", body, KEY))).toMatchObject({
      status: 400,
      message: expect.stringContaining(message),
    });
  });
});
