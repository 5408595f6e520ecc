import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { decodeBase64, encodeBase64 } from "./base64.js";

const EVERY_BYTE = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const NodeBuffer = Buffer;
const BASE64 = NodeBuffer.from(EVERY_BYTE).toString("base64");

afterEach(() => vi.unstubAllGlobals());

/** What a runtime without `Buffer` makes of it. */
function portably<T>(run: () => T): T {
  vi.stubGlobal("Buffer", undefined);
  try {
    return run();
  } finally {
    vi.unstubAllGlobals();
  }
}

describe.each([
  ["with Buffer", <T>(run: () => T) => run()],
  ["without Buffer", portably],
])("decodeBase64 %s", (_runtime, inRuntime) => {
  const decode = (text: string) => inRuntime(() => decodeBase64(text));

  it.each([
    ["the usual alphabet", BASE64],
    ["the URL-safe alphabet without padding", NodeBuffer.from(EVERY_BYTE).toString("base64url")],
    ["lines", BASE64.replace(/.{76}/g, "$&\r\n")],
  ])("reads %s", (_what, text) => {
    expect(decode(text)).toEqual(EVERY_BYTE);
  });

  it("reads nothing as no bytes", () => {
    expect(decode("")).toEqual(new Uint8Array(0));
  });

  // The last three are read as Base64 by a decoder that looks at the lower half of a character, or only counts them.
  it.each(["%", "AQI*", "A", "AQID====", "Ünicode", "\u0141QID", "AQIDA", "AQ=D"])("refuses %j", (text) => {
    expect(decode(text)).toBeUndefined();
  });

  it("gives bytes that share their memory with nobody", () => {
    const bytes = decode("AQID") as Uint8Array;
    expect([bytes.constructor, bytes.byteOffset, bytes.buffer.byteLength]).toEqual([Uint8Array, 0, 3]);
  });
});

describe("the decoder of the runtime and the portable one", () => {
  const digits = fc.constantFrom(..."ABab09+/-_");
  const others = fc.constantFrom(..."= \t\n\f\r\v\0%*ÿŁ\u2041\ud800\u{1f600}");
  const anyText = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.base64String(),
    fc
      .array(fc.oneof({ weight: 12, arbitrary: digits }, { weight: 1, arbitrary: others }), { maxLength: 80 })
      .map((characters) => characters.join("")),
    fc
      .tuple(fc.array(digits), fc.constantFrom("", "=", "==", "==="))
      .map(([some, end]) => some.join("") + end),
  );

  it("agree on any text", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(decodeBase64(text)).toEqual(portably(() => decodeBase64(text)));
      }),
      { numRuns: 2_000 },
    );
  });

  it("agree on long texts with one wrong character anywhere", () => {
    const text = NodeBuffer.alloc(3_000, "fox").toString("base64");
    fc.assert(
      fc.property(fc.nat(text.length), others, (at, wrong) => {
        const broken = text.slice(0, at) + wrong + text.slice(at);
        expect(decodeBase64(broken)).toEqual(portably(() => decodeBase64(broken)));
      }),
    );
  });
});

describe.each([
  ["with Buffer", <T>(run: () => T) => run()],
  ["without Buffer", portably],
])("encodeBase64 %s", (_runtime, inRuntime) => {
  it.each([0, 1, 256, 0x8000, 0x8001, 200_000])("writes %d bytes as Node does", (length) => {
    const bytes = Uint8Array.from({ length }, (_, index) => index % 251);
    expect(inRuntime(() => encodeBase64(bytes))).toBe(NodeBuffer.from(bytes).toString("base64"));
  });

  it("writes a part of a larger memory, and nothing beside it", () => {
    const part = EVERY_BYTE.subarray(7, 20);
    expect(inRuntime(() => encodeBase64(part))).toBe(NodeBuffer.from(part).toString("base64"));
  });
});
