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
  ];
  expect(new Set(keys).size).toBe(keys.length);
});

it("stays what it is: caches outlive versions", () => {
  expect(keyOf({ model: "local-embedding" }, "The sky is blue.")).toMatchInlineSnapshot(
    `"5799feeff7fa8e0cd2c7e03a072230d074f4a4bfd00a3c55222cd109be425342"`,
  );
});
