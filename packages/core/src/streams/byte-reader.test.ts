import { describe, expect, it } from "vitest";
import { streamErrorsOf } from "../call/call-errors.js";
import { parseAddress } from "../config/addresses.js";
import { InvalidResponseError, StreamInterruptedError } from "../errors/errors.js";
import { ByteReader } from "./byte-reader.js";

const ERRORS = streamErrorsOf({
  call: {
    name: "audio.speech.create",
    method: "POST" as const,
    path: "/audio/speech",
    cost: "billable" as const,
    defaultTimeoutMs: 1,
  },
  address: parseAddress("general", "https://gateway.example/v1"),
  apiKey: undefined,
  timeline: [],
  idleTimeoutMs: 1_000,
});

describe("ByteReader", () => {
  it("passes chunks on up to its cap, each of them content", async () => {
    const reader = new ByteReader(3, ERRORS);
    expect(reader.push(Uint8Array.of(1))).toBe(1);
    expect(reader.push(Uint8Array.of(2, 3))).toBe(1);
    expect(reader.complete).toBe(false);
    reader.end();
    expect(reader.complete).toBe(true);
    expect(await reader.queue.nextBatch()).toEqual([Uint8Array.of(1), Uint8Array.of(2, 3)]);
  });

  it("refuses an answer beyond its cap, and says that it may have been paid", async () => {
    const reader = new ByteReader(3, ERRORS);
    reader.push(Uint8Array.of(1, 2));
    const refuse = () => reader.push(Uint8Array.of(3, 4));
    expect(refuse).toThrow(InvalidResponseError);
    expect(refuse).toThrow("200 to POST https://gateway.example/v1/audio/speech with more than 3 bytes");
    expect(refuse).toThrow(expect.objectContaining({ maybeProcessed: true, retryable: false, status: 200 }));
    expect(await reader.queue.nextBatch()).toEqual([Uint8Array.of(1, 2)]);
  });

  it("pauses the connection once sixteen chunks lie unread", () => {
    const reader = new ByteReader(100, ERRORS);
    for (let count = 1; count <= 15; count++) reader.push(Uint8Array.of(count));
    expect(reader.queue.flush()).toBe(true);
    reader.push(Uint8Array.of(16));
    expect(reader.queue.flush()).toBe(false);
  });

  it("takes every break for an interruption: half a file is none", () => {
    const error = new ByteReader(3, ERRORS).interrupted({ kind: "closed" });
    expect(error).toBeInstanceOf(StreamInterruptedError);
    expect(error).toMatchObject({ reason: "closed", partial: undefined, maybeProcessed: true });
  });
});
