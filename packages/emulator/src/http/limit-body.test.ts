import { describe, expect, it } from "vitest";
import { limitBody } from "./limit-body.js";

const url = "http://localhost/";
const tooLarge = { status: 413, message: "The request body has more than 10 bytes." };

describe("a body with a limit", () => {
  it.each(["", "0123456789"])("is read when it is not larger: %j", async (body) => {
    const request = new Request(url, { method: "PUT", body, headers: { "content-type": "text/a" } });
    const limited = limitBody(request, 10);
    expect([await limited.text(), limited.headers.get("content-type")]).toEqual([body, "text/a"]);
  });

  it("is refused by its length before it is read", () => {
    const request = new Request(url, { method: "PUT", body: "x", headers: { "content-length": "11" } });
    expect(() => limitBody(request, 10)).toThrow(expect.objectContaining(tooLarge));
  });

  it("is refused once it is larger, when nobody said how large it is", async () => {
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(4));
      },
    });
    const request = new Request(url, { method: "PUT", body, duplex: "half" } as RequestInit);
    await expect(limitBody(request, 10).text()).rejects.toMatchObject(tooLarge);
    expect(pulled).toBeLessThan(10);
  });

  it("is none where there is none", () => {
    const request = new Request(url);
    expect(limitBody(request, 10)).toBe(request);
  });
});
