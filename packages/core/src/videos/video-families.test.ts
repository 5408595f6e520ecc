import { describe, expect, it } from "vitest";
import type { VideoFamily } from "../tasks/video-task-handle.js";
import { familyOfVideos, isTaskId, isVideoFamily, VIDEO_FAMILIES } from "./video-families.js";

describe("the families", () => {
  it("have their paths and the form of their tasks", () => {
    const told = Object.entries(VIDEO_FAMILIES).map(([family, { path, form }]) => [family, path, form]);
    expect(told).toEqual([
      ["content", "/videos", "flat"],
      ["image2video", "/videos/image2video", "wrapped"],
      ["omni-video", "/videos/omni-video", "wrapped"],
    ]);
  });

  it.each(Object.keys(VIDEO_FAMILIES) as VideoFamily[])(
    "of which %s is one are looked up by name",
    (family) => {
      expect(familyOfVideos(family)).toBe(VIDEO_FAMILIES[family]);
    },
  );

  it("have no others: every body is refused there, by the name of what is wrong", () => {
    const { check, call } = familyOfVideos("toString" as "content");
    expect(call).toBe("videos.createIn");
    expect(() => check({ model: "m", content: [{ type: "text", text: "a fox" }] })).toThrow(
      /family must be one of content, image2video, omni-video/,
    );
  });
});

describe("isVideoFamily", () => {
  it.each(["content", "image2video", "omni-video"])("knows %s", (family) => {
    expect(isVideoFamily(family)).toBe(true);
  });

  it.each(["", "toString", "Content", undefined, null, 7, ["content"]])("does not know %j", (value) => {
    expect(isVideoFamily(value)).toBe(false);
  });
});

describe("isTaskId", () => {
  it.each(["t", "a/b", ".a", "a.", "a..b", "..\n"])("takes %j", (id) => {
    expect(isTaskId(id)).toBe(true);
  });

  it.each(["", ".", "..", "...", 7, undefined, null, ["t"]])(
    "refuses %j, which would lead to another path",
    (id) => {
      expect(isTaskId(id)).toBe(false);
    },
  );
});
