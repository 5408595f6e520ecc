import { describe, expect, it } from "vitest";
import { InvalidRequestError } from "../index.js";
import { checkImageToVideoRequest, checkOmniVideoRequest } from "./check-wrapped-request.js";
import type { ImageToVideoRequest, OmniVideoRequest } from "./video-types.js";

const IMAGE_TO_VIDEO: ImageToVideoRequest = {
  model_name: "m",
  prompt: "p",
  image: "https://x.example/1.png",
};
const OMNI: OmniVideoRequest = { model_name: "m", prompt: "<<<image_1>>> runs" };

function fieldsOf(check: () => void): string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!InvalidRequestError.isInstance(error)) throw error;
    return error.problems.map(({ field }) => field);
  }
}

describe("checkImageToVideoRequest", () => {
  it("names every missing field", () => {
    expect(fieldsOf(() => checkImageToVideoRequest({} as ImageToVideoRequest))).toEqual([
      "model_name",
      "prompt",
      "image",
    ]);
  });

  it("leaves values that depend on the model to the gateway", () => {
    const body = { ...IMAGE_TO_VIDEO, mode: "master", duration: "12", cfg_scale: 3 };
    expect(fieldsOf(() => checkImageToVideoRequest(body))).toEqual([]);
  });
});

describe("checkOmniVideoRequest", () => {
  it.each<[string, object, string[]]>([
    ["nothing but the required fields", {}, []],
    ["images", { image_list: [{ image_url: "https://x.example/1.png" }] }, []],
    [
      "an image without address",
      { image_list: [{ image_url: "a" }, {}, null, { image_url: "" }, { image_url: 7 }] },
      [1, 2, 3, 4].map((index) => `image_list[${index}].image_url`),
    ],
    ["no list", { image_list: null }, []],
    ["a list that is none", { image_list: "https://x.example/1.png" }, ["image_list"]],
    ["an empty prompt and no model", { model_name: undefined, prompt: "" }, ["model_name", "prompt"]],
  ])("checks %s", (_name, more, fields) => {
    expect(fieldsOf(() => checkOmniVideoRequest({ ...OMNI, ...more }))).toEqual(fields);
  });

  it("says what a list of images looks like", () => {
    const check = (list: unknown) => () => checkOmniVideoRequest({ ...OMNI, image_list: list as [] });
    expect(check("u")).toThrow("image_list must be an array of { image_url }");
    expect(check([{}])).toThrow("image_list[0].image_url is required and must be a non-empty string");
  });
});
