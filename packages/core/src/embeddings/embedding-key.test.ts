import { expect, it } from "vitest";
import { embeddingKeyOf } from "./embedding-key.js";
import type { EmbeddingRequest } from "./embedding-types.js";

const keyOf = (body: Omit<EmbeddingRequest, "input"> & Record<string, unknown>, text = "a") =>
  embeddingKeyOf(body)(text);

it("is the same for what makes the same vector", () => {
  const key = keyOf({ model: "m", dimensions: 8 });
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  expect(keyOf({ dimensions: 8, model: "m" })).toBe(key);
  expect(keyOf({ model: "m", dimensions: 8, user: "u", encoding_format: "base64", input: "b" })).toBe(key);
  expect(keyOf({ model: "m", dimensions: 8, input_type: undefined })).toBe(key);
});

it("is another for everything that may make another one", () => {
  const keys = [
    keyOf({ model: "m" }),
    keyOf({ model: "m" }, "b"),
    keyOf({ model: "m2" }),
    keyOf({ model: "m", dimensions: 8 }),
    keyOf({ model: "m", dimensions: 9 }),
    keyOf({ model: "m", input_type: "query" }),
    keyOf({ model: "m", input_type: "passage" }),
    // The text cannot pass for a part of the body.
    keyOf({ model: 'm"]]\na' }, ""),
    keyOf({ model: "m" }, "\na"),
    keyOf({ model: "m" }, "\ud800"),
    keyOf({ model: "m" }, "\udfff"),
    keyOf({ model: "m" }, "\\ud800"),
    keyOf({ model: "m" }, "\ufffd"),
  ];
  expect(new Set(keys).size).toBe(keys.length);
});

it("stays what it is: caches outlive versions", () => {
  expect(keyOf({ model: "local-embedding" }, "The sky is blue.")).toMatchInlineSnapshot(
    `"518f0b127bb3d3bf2953e0e9f71a81a433954b7e9ceb5c27fe5a99c220811f04"`,
  );
});
