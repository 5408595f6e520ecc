import { describe, expect, it } from "vitest";
import { isTaskId, isVideoFamily, VIDEO_FAMILIES } from "./video-families.js";

describe("the families", () => {
  it("have their paths and the fields that name their tasks", () => {
    expect(VIDEO_FAMILIES).toEqual({
      content: { path: "/videos", idField: "id" },
      image2video: { path: "/videos/image2video", idField: "task_id" },
      "omni-video": { path: "/videos/omni-video", idField: "task_id" },
    });
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
