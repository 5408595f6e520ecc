import { expect, test } from "vitest";
import { rgbFromYuv, yuvFromRgb } from "./yuv-picture.js";

// By the matrix of ITU-R BT.709, table 3.
test.each([
  ["red", [255, 0, 0], [63, 102, 240]],
  ["green", [0, 255, 0], [173, 42, 26]],
  ["blue", [0, 0, 255], [32, 240, 118]],
  ["white", [255, 255, 255], [235, 128, 128]],
  ["black", [0, 0, 0], [16, 128, 128]],
] as const)("stores %s as video does, and reads it back", (_, color, stored) => {
  const data = Uint8Array.from({ length: 12 }, (_, index) => color[index % 3]!);
  const picture = yuvFromRgb({ width: 2, height: 2, channels: 3, data });
  expect([picture.luma[3], picture.chromaU[0], picture.chromaV[0]]).toEqual(stored);
  for (const [index, value] of rgbFromYuv(picture).data.entries()) {
    expect(Math.abs(value - color[index % 3]!)).toBeLessThanOrEqual(3);
  }
});

test("carries an RGB picture through video and back, with one colour per square of four pixels", () => {
  const squares = [
    [200, 40, 60],
    [20, 90, 220],
    [255, 255, 255],
    [0, 0, 0],
  ];
  const data = Uint8Array.from({ length: 4 * 4 * 3 }, (_, index) => {
    const [x, y] = [Math.floor(index / 3) % 4, Math.floor(index / 12)];
    return squares[(y >> 1) * 2 + (x >> 1)]![index % 3]!;
  });
  const back = rgbFromYuv(yuvFromRgb({ width: 4, height: 4, channels: 3, data }));
  for (const [index, value] of back.data.entries()) {
    expect(Math.abs(value - data[index]!)).toBeLessThanOrEqual(3);
  }
});
