import { describe, expect, it } from "vitest";
import { joinBytes } from "./join-bytes.js";

describe("joinBytes", () => {
  it("keeps order and size", () => {
    expect(joinBytes([Uint8Array.of(1, 2), new Uint8Array(), Uint8Array.of(3)])).toEqual(
      Uint8Array.of(1, 2, 3),
    );
    expect(joinBytes([])).toHaveLength(0);
  });
});
