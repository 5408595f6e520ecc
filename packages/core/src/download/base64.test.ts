import { describe, expect, it } from "vitest";
import { decodeBase64, encodeBase64 } from "./base64.js";

const EVERY_BYTE = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const BASE64 = Buffer.from(EVERY_BYTE).toString("base64");

describe("decodeBase64", () => {
  it.each([
    ["the usual alphabet", BASE64],
    ["the URL-safe alphabet without padding", Buffer.from(EVERY_BYTE).toString("base64url")],
    ["lines", BASE64.replace(/.{76}/g, "$&\r\n")],
  ])("reads %s", (_what, text) => {
    expect(decodeBase64(text)).toEqual(EVERY_BYTE);
  });

  it("reads nothing as no bytes", () => {
    expect(decodeBase64("")).toEqual(new Uint8Array(0));
  });

  it.each(["%", "AQI*", "A", "AQID====", "Ünicode"])("refuses %j", (text) => {
    expect(decodeBase64(text)).toBeUndefined();
  });
});

describe("encodeBase64", () => {
  it.each([0, 1, 256, 0x8000, 0x8001, 200_000])("writes %d bytes as Node does", (length) => {
    const bytes = Uint8Array.from({ length }, (_, index) => index % 251);
    expect(encodeBase64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
  });
});
