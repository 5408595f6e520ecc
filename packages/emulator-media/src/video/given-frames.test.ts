import { decode } from "fast-png";
import sharp from "sharp";
import { afterAll, describe, expect, test } from "vitest";
import { decodeFrames } from "../../test/decode-frames.js";
import { rgbFromYuv, YuvPicture } from "../image/yuv-picture.js";
import { closeMedia } from "../render/close-media.js";
import { renderVideo } from "../render/render-video.js";
import type { VideoRequest } from "./video-request.js";

const WIDTH = 192;
const HEIGHT = 128;
const request: VideoRequest = {
  width: WIDTH,
  height: HEIGHT,
  durationSeconds: 5,
  prompt: "A red fox",
  seed: 1,
  audio: false,
};

/** Four bars of colour; wider or taller than the frame, so that covering it has to crop. */
async function bars(colors: readonly string[], width: number, height: number): Promise<Uint8Array> {
  const rects = colors.map(
    (color, index) =>
      `<rect x="${(index * width) / 4}" width="${width / 4}" height="${height}" fill="${color}"/>`,
  );
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${rects.join("")}</svg>`;
  return sharp(Buffer.from(svg)).jpeg({ quality: 95 }).toBuffer();
}

const sunrise = await bars(["#d03020", "#e0a030", "#f0e080", "#4080c0"], 500, 200);
const meadow = await bars(["#20a040", "#102060", "#e0e0e0", "#8020a0"], 300, 600);

afterAll(closeMedia);

async function rgbFrames(bytes: Uint8Array): Promise<Uint8Array[]> {
  return (await decodeFrames(bytes)).map(({ data }) => {
    const picture = new YuvPicture(WIDTH, HEIGHT);
    picture.data.set(data);
    return rgbFromYuv(picture).data;
  });
}

/** What the frame should look like, by another library's cropping. */
async function cover(image: Uint8Array): Promise<Uint8Array> {
  return sharp(image).resize(WIDTH, HEIGHT, { fit: "cover" }).removeAlpha().raw().toBuffer();
}

function meanDifference(left: Uint8Array, right: Uint8Array): number {
  expect(left).toHaveLength(right.length);
  return left.reduce((sum, value, index) => sum + Math.abs(value - right[index]!), 0) / left.length;
}

describe("a video with a first and a last frame", () => {
  const render = () => renderVideo({ ...request, firstFrame: sunrise, lastFrame: meadow });

  test("begins with the one and ends with the other, cropped to cover the frame", async () => {
    const { bytes, lastFrame } = await render();
    const frames = await rgbFrames(bytes);
    expect(frames).toHaveLength(120);
    expect(meanDifference(frames[0]!, await cover(sunrise))).toBeLessThan(6);
    expect(meanDifference(frames[119]!, await cover(meadow))).toBeLessThan(6);
    expect(meanDifference(frames[0]!, await cover(meadow))).toBeGreaterThan(40);
    const png = decode(lastFrame, { checkCrc: true });
    expect(meanDifference(png.data as Uint8Array, await cover(meadow))).toBeLessThan(4);
  });

  test("moves all the time, without a jump", async () => {
    const frames = await rgbFrames((await render()).bytes);
    const steps = frames.slice(1).map((frame, index) => meanDifference(frame, frames[index]!));
    expect(steps.filter((step) => step > 0)).toHaveLength(119);
    expect(Math.max(...steps)).toBeLessThan(15);
  });

  test("shows the prompt after the beginning", async () => {
    const size = { width: 320, height: 240, durationSeconds: 3 };
    const framesOf = async (prompt: string) =>
      decodeFrames((await renderVideo({ ...request, ...size, prompt, firstFrame: sunrise })).bytes);
    const [one, other] = [await framesOf("ii"), await framesOf("WWWWWWWWWWWW")];
    expect(Buffer.from(one[0]!.data).equals(other[0]!.data)).toBe(true);
    const lumaOf = (frame: Uint8Array) =>
      frame.subarray(222 * 320, 240 * 320).filter((value) => value > 180).length;
    expect(lumaOf(other[48]!.data)).toBeGreaterThan(lumaOf(one[48]!.data) + 100);
  });
});

test("a first frame alone gives a video that begins with it and goes on moving", async () => {
  const { bytes, lastFrame } = await renderVideo({ ...request, durationSeconds: 6.5, firstFrame: sunrise });
  const frames = await rgbFrames(bytes);
  expect(frames).toHaveLength(156);
  expect(meanDifference(frames[0]!, await cover(sunrise))).toBeLessThan(6);
  expect(meanDifference(frames[36]!, frames[60]!)).toBeGreaterThan(0.5);
  expect(meanDifference(frames[155]!, decode(lastFrame).data as Uint8Array)).toBeLessThan(6);
});

test("a last frame alone gives a video that turns into it", async () => {
  const { bytes } = await renderVideo({ ...request, lastFrame: meadow });
  const frames = await rgbFrames(bytes);
  expect(frames).toHaveLength(120);
  expect(meanDifference(frames[90]!, await cover(meadow))).toBeGreaterThan(30);
  expect(meanDifference(frames[119]!, await cover(meadow))).toBeLessThan(6);
});

test.each([
  [0.04, 1],
  [0.1, 2],
  [1, 24],
])("a video of %d s has %i frames and the given pictures at its ends", async (durationSeconds, count) => {
  const video = await renderVideo({ ...request, durationSeconds, firstFrame: sunrise, lastFrame: meadow });
  const frames = await rgbFrames(video.bytes);
  expect(frames).toHaveLength(count);
  expect(meanDifference(frames[0]!, await cover(sunrise))).toBeLessThan(8);
  if (count > 1) expect(meanDifference(frames.at(-1)!, await cover(meadow))).toBeLessThan(8);
});

describe("the call", () => {
  test("gives equal bytes for equal frames, also from a new thread, and others for other frames", async () => {
    const both = { ...request, durationSeconds: 1, audio: true, firstFrame: sunrise, lastFrame: meadow };
    const first = await renderVideo(both);
    await closeMedia();
    const second = await renderVideo({ ...both, firstFrame: Buffer.from(sunrise) });
    const swapped = await renderVideo({ ...both, firstFrame: meadow, lastFrame: sunrise });
    expect(Buffer.from(first.bytes).equals(second.bytes)).toBe(true);
    expect(Buffer.from(first.bytes).equals(swapped.bytes)).toBe(false);
  });

  test.each(["firstFrame", "lastFrame"] as const)("names a %s that is no image", async (name) => {
    const refused = renderVideo({ ...request, [name]: Buffer.from("<html>") });
    await expect(refused).rejects.toThrow(RangeError);
    await expect(refused).rejects.toThrow(`${name} is not an image that can be decoded`);
    await expect(renderVideo({ ...request, [name]: new Uint8Array() })).rejects.toThrow(`${name} is empty`);
    await expect(renderVideo({ ...request, [name]: "https:" })).rejects.toThrow(TypeError);
  });
});
