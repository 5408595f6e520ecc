import { describe, expect, it } from "vitest";
import { InvalidRequestError } from "../index.js";
import { checkVideoRequest } from "./check-video-request.js";
import type { VideoCreateRequest } from "./video-types.js";

const text = { type: "text", text: "a fox" };
const image = (role?: string) => ({
  type: "image_url",
  image_url: { url: "https://x.example/1.png" },
  ...(role ? { role } : {}),
});
const video = { type: "video_url", video_url: { url: "asset://v" }, role: "reference_video" };
const audio = { type: "audio_url", audio_url: { url: "asset://a" }, role: "reference_audio" };
const many = <T>(item: T, count: number): T[] => new Array<T>(count).fill(item);

function problemsOf(content: unknown, rest: object = { model: "m" }): string[] {
  try {
    checkVideoRequest({ ...rest, content } as VideoCreateRequest);
    return [];
  } catch (error) {
    if (!InvalidRequestError.isInstance(error)) throw error;
    return error.problems.map(({ field, message }) => `${field} ${message}`);
  }
}

describe("checkVideoRequest", () => {
  it.each<[string, unknown[]]>([
    ["text to video", [text]],
    ["a first frame without role", [text, image()]],
    ["first and last frame", [text, image("first_frame"), image("last_frame")]],
    ["nine reference images", [text, ...many(image("reference_image"), 9)]],
    ["three reference videos", [text, ...many(video, 3)]],
    ["audio beside an image", [text, image("reference_image"), audio]],
    ["audio beside a video", [text, video, audio]],
    ["a draft task", [{ type: "draft_task", draft_task: { id: "t" } }]],
  ])("lets %s pass", (_name, content) => {
    expect(problemsOf(content)).toEqual([]);
  });

  it.each<[string, unknown, RegExp]>([
    ["no content", undefined, /^content is required/],
    ["content that is no array", "text", /^content is required/],
    ["empty content", [], /^content is required/],
    ["an unknown type", [{ type: "gif" }], /^content\[0\]\.type must be one of text, image_url/],
    ["an item that is nothing", [null], /^content\[0\]\.type/],
    ["text without text", [{ type: "text" }], /^content\[0\]\.text is required/],
    [
      "an image without URL",
      [text, { type: "image_url", image_url: {} }],
      /^content\[1\]\.image_url\.url is required/,
    ],
    [
      "an image with a video's role",
      [text, image("reference_video")],
      /^content\[1\]\.role must be one of first_frame, last_frame/,
    ],
    ["text with a role", [{ ...text, role: "first_frame" }], /^content\[0\]\.role must be left out/],
    [
      "ten reference images",
      [text, ...many(image("reference_image"), 10)],
      /^content may hold at most 9 images/,
    ],
    ["four reference videos", [text, ...many(video, 4)], /^content may hold at most 3 reference videos/],
    ["audio alone", [text, audio], /^content must hold an image or a video beside reference audio/],
    [
      "two first frames",
      [text, image("first_frame"), image("first_frame")],
      /only one image with role first_frame/,
    ],
    [
      "a last frame alone",
      [text, image("last_frame")],
      /^content must hold .* first_frame beside one with role last_frame/,
    ],
  ])("refuses %s", (_name, content, message) => {
    expect(problemsOf(content)).toEqual([expect.stringMatching(message)]);
  });

  it.each([
    ["image_url", ["first_frame", "last_frame", "reference_image"]],
    ["video_url", ["reference_video"]],
    ["audio_url", ["reference_audio"]],
    ["draft_task", []],
    ["text", []],
  ] as const)("knows the roles of %s", (type, allowed) => {
    const address = { id: "t", url: "asset://1" };
    const item = type === "text" ? text : { type, [type]: address };
    const beside = [image("first_frame"), text];
    for (const role of [
      "first_frame",
      "last_frame",
      "reference_image",
      "reference_video",
      "reference_audio",
    ]) {
      if (role === "first_frame" && type === "image_url") continue;
      const wrong = problemsOf([...beside, { ...item, role }]).map((problem) => problem.split(" ")[0]);
      expect(wrong).toEqual((allowed as readonly string[]).includes(role) ? [] : ["content[2].role"]);
    }
    expect(problemsOf([...beside, item])).toEqual([]);
  });

  it.each<[type: string, payloads: unknown[], field: string]>([
    ["text", [undefined, "", 7, null], "text"],
    [
      "image_url",
      [undefined, null, "https://x.example/1.png", {}, { url: "" }, { url: 7 }, { id: "t" }],
      "image_url.url",
    ],
    ["video_url", [undefined, { id: "t" }], "video_url.url"],
    ["audio_url", [undefined, { id: "t" }], "audio_url.url"],
    ["draft_task", [undefined, "t", { url: "u" }, { id: "" }], "draft_task.id"],
  ])("refuses %s that holds nothing", (type, payloads, field) => {
    for (const payload of payloads) {
      expect(problemsOf([image(), { type, [type]: payload }])).toEqual([
        `content[1].${field} is required and must be a non-empty string`,
      ]);
    }
  });

  it("takes audio beside images and videos together, and two references without a role", () => {
    expect(problemsOf([image("reference_image"), video, audio])).toEqual([]);
    expect(
      problemsOf([image(), image(), image("first_frame"), image("last_frame"), undefined].slice(0, 4)),
    ).toEqual([]);
    expect(problemsOf([image("first_frame"), image("last_frame"), image("last_frame")])).toEqual([
      "content may hold only one image with role last_frame",
    ]);
  });

  it("names every problem at once", () => {
    expect(problemsOf([{ type: "gif" }, audio, { type: "text" }], {})).toHaveLength(4);
  });
});
