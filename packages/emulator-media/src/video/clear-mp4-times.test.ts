import { expect, test } from "vitest";
import { clearMp4Times } from "./clear-mp4-times.js";

function box(type: string, ...parts: Array<readonly number[] | Uint8Array>): Uint8Array {
  const body = parts.flatMap((part) => [...part]);
  const file = new Uint8Array(8 + body.length);
  new DataView(file.buffer).setUint32(0, file.length);
  file.set(Buffer.from(type, "latin1"), 4);
  file.set(body, 8);
  return file;
}

/** A header box: version and flags, two times, and what follows them. */
function header(type: string, version: 0 | 1, time: number): Uint8Array {
  const times = Array.from({ length: version === 1 ? 16 : 8 }, () => time);
  return box(type, [version, 0, 0, 7], times, [9, 9, 9, 9]);
}

function movie(time: number): Uint8Array {
  const track = box(
    "trak",
    header("tkhd", 0, time),
    box("mdia", header("mdhd", 1, time), box("minf", [5, 5])),
  );
  return Uint8Array.from([
    ...box("ftyp", [1, 2, 3]),
    ...box("moov", header("mvhd", 1, time), track, track),
    ...box("mdat", header("mvhd", 0, 4)),
  ]);
}

test("zeroes the times of the movie, its tracks and their media, in both versions, and nothing else", () => {
  expect(clearMp4Times(movie(4))).toEqual(movie(0));
});

test("works on a file that is a part of a larger buffer", () => {
  const buffer = new Uint8Array(movie(4).length + 20).fill(1);
  buffer.set(movie(4), 10);
  clearMp4Times(buffer.subarray(10, -10));
  expect(buffer.subarray(10, -10)).toEqual(movie(0));
  expect(buffer.subarray(0, 10)).toEqual(new Uint8Array(10).fill(1));
});
