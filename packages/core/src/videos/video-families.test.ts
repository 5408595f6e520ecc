import { describe, expect, it } from "vitest";
import { isTaskId, isVideoFamily } from "./video-families.js";

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
