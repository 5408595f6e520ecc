import { expect, test } from "vitest";
import { rgbFromYuv, YuvPicture, yuvFromHsl, yuvFromRgb } from "./yuv-picture.js";

test.each([
  ["red", [0, 1, 0.5], [255, 0, 0]],
  ["green", [120, 1, 0.5], [0, 255, 0]],
  ["blue", [240, 1, 0.5], [0, 0, 255]],
  ["yellow, a turn further", [420, 1, 0.5], [255, 255, 0]],
  ["white", [0, 0, 1], [255, 255, 255]],
  ["black", [0, 0, 0], [0, 0, 0]],
  ["a soft blue", [210, 0.5, 0.5], [64, 128, 191]],
] as const)("carries %s through video colours and back", (_, [hue, saturation, lightness], expected) => {
  const picture = new YuvPicture(2, 2);
  const { y, u, v } = yuvFromHsl(hue, saturation, lightness);
  picture.luma.fill(Math.round(y));
  picture.chromaU.fill(Math.round(u));
  picture.chromaV.fill(Math.round(v));
  const { data } = rgbFromYuv(picture);
  expect(data).toHaveLength(12);
  for (const [index, value] of data.entries()) {
    expect(Math.abs(value - (expected[index % 3] ?? Number.NaN))).toBeLessThanOrEqual(3);
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
