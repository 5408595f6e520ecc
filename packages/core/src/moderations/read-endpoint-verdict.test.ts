import { describe, expect, it } from "vitest";
import { readEndpointVerdict } from "./read-endpoint-verdict.js";

const answer = (...results: unknown[]) => ({ id: "modr-1", model: "m", results });
const result = (flagged: unknown, categories?: unknown, scores?: unknown) => ({
  flagged,
  ...(categories === undefined ? {} : { categories }),
  ...(scores === undefined ? {} : { category_scores: scores }),
});

describe("readEndpointVerdict", () => {
  it.each<[string, unknown, string]>([
    ["nothing flagged", result(false, { hate: false }, { hate: 0.01 }), "allow"],
    ["nothing flagged, without categories", result(false), "allow"],
    ["a flag with a high score", result(true, { hate: true }, { hate: 0.5 }), "block"],
    ["a flag without score", result(true, { hate: true }), "block"],
    ["a flag with a low score", result(true, { hate: true }, { hate: 0.49 }), "review"],
    ["a high score without flag", result(false, { hate: false }, { hate: 0.7 }), "review"],
    ["a flag on nothing in particular", result(true), "review"],
    ["a flag whose scores tell the category", result(true, undefined, { hate: 0.9, sexual: 0.1 }), "block"],
    ["a category that is not ours", result(true, { spam: true }, { spam: 0.99 }), "review"],
    ["a category flagged below an unflagged whole", result(false, { violence: true }), "block"],
    ["categories without a whole", result(undefined, { violence: true }), "block"],
    ["a list of categories", result(true, ["violence"]), "block"],
  ])("judges %s", (_what, only, action) => {
    expect(readEndpointVerdict(answer(only))).toMatchObject({
      action,
      source: "endpoint",
      raw: answer(only),
    });
  });

  it.each([
    ["self-harm", "self_harm"],
    ["self-harm/intent", "self_harm"],
    ["selfHarm", "self_harm"],
    ["self_harm_instructions", "self_harm"],
    ["hate/threatening", "hate"],
    ["hate_and_discrimination", "hate"],
    ["harassment/threatening", "harassment"],
    ["sexual/minors", "sexual"],
    ["violence/graphic", "violence"],
    ["violence_and_threats", "violence"],
    ["illicit/violent", "illegal"],
    ["dangerous_and_criminal_content", "illegal"],
    ["pii", "privacy"],
    ["Privacy", "privacy"],
  ])("counts %s as %s", (name, category) => {
    const verdict = readEndpointVerdict(answer(result(true, { [name]: true }, { [name]: 0.8 })));
    expect(verdict?.action).toBe("block");
    expect(Object.entries(verdict?.categories ?? {}).filter(([, found]) => found)).toEqual([
      [category, true],
    ]);
    expect(verdict?.scores).toEqual({ [category]: 0.8 });
  });

  it("joins more results than a call takes arguments", () => {
    const many = Array.from({ length: 300_000 }, () => result(false, { hate: false }));
    const verdict = readEndpointVerdict({ results: [...many, result(true, { hate: true })] });
    expect(verdict).toMatchObject({ action: "block", categories: { hate: true } });
  });

  it("joins several names of a category, and several results", () => {
    const verdict = readEndpointVerdict(
      answer(
        result(true, { hate: true, "hate/threatening": false }, { hate: 0.6, "hate/threatening": 0.2 }),
        result(false, { privacy: false, "sexual/minors": null }, { hate: 0.1, privacy: 0.3 }),
      ),
    );
    expect(verdict).toMatchObject({
      action: "block",
      categories: { hate: true, harassment: false, self_harm: false, sexual: false, privacy: false },
      scores: { hate: 0.6, privacy: 0.3 },
    });
  });

  it.each<unknown>([
    undefined,
    {},
    answer(),
    answer({}),
    answer(null),
    answer("fine"),
    answer({ flagged: "no" }),
    answer(result(false), {}),
    { results: { flagged: false } },
  ])("finds no verdict in %j", (body) => {
    expect(readEndpointVerdict(body)).toBeUndefined();
  });
});
