import { decode as decodePng } from "fast-png";
import sharp from "sharp";
import { afterAll, describe, expect, test } from "vitest";
import type { ImageRequest } from "../image/image-request.js";
import { closeMedia } from "./close-media.js";
import { renderImage } from "./render-image.js";

const request: ImageRequest = { width: 320, height: 240, prompt: "A red fox", seed: 1, format: "png" };

afterAll(closeMedia);

async function render(change: Partial<ImageRequest> = {}) {
  return renderImage({ ...request, ...change });
}

/** Pixels of an encoded image as RGBA, by a decoder that shares nothing with the PNG encoder. */
async function decode(bytes: Uint8Array) {
  const { data, info } = await sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) => [
    ...data.subarray((y * info.width + x) * 4, (y * info.width + x) * 4 + 4),
  ];
  const count = (test: (red: number, green: number, blue: number, alpha: number) => boolean) => {
    let found = 0;
    for (let i = 0; i < data.length; i += 4) {
      if (test(data[i]!, data[i + 1]!, data[i + 2]!, data[i + 3]!)) found++;
    }
    return found;
  };
  return { width: info.width, height: info.height, at, count };
}

const isInk = (red: number, green: number, blue: number) => Math.min(red, green, blue) > 235;

describe("the file", () => {
  test.each([
    ["png", 320, 240],
    ["jpeg", 641, 127],
    ["webp", 127, 641],
    ["png", 16, 16],
    ["webp", 2048, 1152],
  ] as const)("is a %s of %i x %i pixels", async (format, width, height) => {
    const image = await render({ format, width, height });
    expect(image).toMatchObject({ mediaType: `image/${format}`, width, height });
    expect(await sharp(image.bytes).metadata()).toMatchObject({ format, width, height, hasAlpha: false });
    expect(await decode(image.bytes)).toMatchObject({ width, height });
  });

  test("may have 4096 x 4096 pixels", async () => {
    const { bytes } = await render({ width: 4096, height: 4096 });
    expect(decodePng(bytes, { checkCrc: true })).toMatchObject({ width: 4096, height: 4096, channels: 3 });
  });

  test.each(["jpeg", "webp"] as const)("is smaller as %s of less quality", async (format) => {
    const good = await render({ format, quality: 95 });
    const poor = await render({ format, quality: 10 });
    expect(poor.bytes.length).toBeLessThan(good.bytes.length * 0.8);
  });
});

describe("the picture", () => {
  test.each(["png", "jpeg", "webp"] as const)("shows the prompt in %s", async (format) => {
    const ink = async (prompt: string) =>
      (await decode((await render({ prompt, format })).bytes)).count(isInk);
    expect(await ink("i")).toBeGreaterThan(20);
    expect(await ink("WWWWWW")).toBeGreaterThan(3 * (await ink("i")));
  });

  test("shows details below the prompt, in a darker ink", async () => {
    const faint = async (details: string[]) =>
      (await decode((await render({ details })).bytes)).count(
        (red, green, blue) => red === 178 && green === 178 && blue === 178,
      );
    expect(await faint([])).toBe(0);
    expect(await faint(["320x240 · edit of 2 images"])).toBeGreaterThan(100);
    expect(await faint(["320x240", "seed 1"])).toBeGreaterThan(await faint(["320x240"]));
  });

  test("differs with the seed", async () => {
    const skies = await Promise.all(
      [1, 2, 3, 0.5, -1].map(async (seed) => (await decode((await render({ seed })).bytes)).at(0, 0)),
    );
    expect(new Set(skies.map(String)).size).toBe(5);
  });

  test.each(["png", "webp"] as const)(
    "is transparent around the motif when asked for, as %s",
    async (format) => {
      const { bytes } = await render({ format, background: "transparent" });
      expect(await sharp(bytes).metadata()).toMatchObject({ hasAlpha: true });
      const picture = await decode(bytes);
      expect(picture.at(0, 0)[3]).toBe(0);
      expect(picture.at(319, 0)[3]).toBe(0);
      expect(picture.at(160, 90)[3]).toBe(255);
      expect(
        picture.count((red, green, blue, alpha) => isInk(red, green, blue) && alpha > 250),
      ).toBeGreaterThan(100);
      const panelAlpha = picture.at(319, 239)[3]!;
      expect(panelAlpha).toBeGreaterThan(150);
      expect(panelAlpha).toBeLessThan(255);
    },
  );

  test("shows every input, in order", async () => {
    const colors = ["#ff0000", "#00ff00", "#0000ff"];
    const inputs = await Promise.all(
      colors.map((background) =>
        sharp({ create: { width: 40, height: 30, channels: 3, background } })
          .jpeg()
          .toBuffer(),
      ),
    );
    const picture = await decode((await render({ width: 600, height: 400, inputs })).bytes);
    const row = Array.from({ length: 600 }, (_, x) => picture.at(x, 130));
    const firstColumns = [0, 1, 2].map((channel) =>
      row.findIndex((pixel) =>
        pixel.slice(0, 3).every((value, index) => (index === channel ? value > 240 : value < 15)),
      ),
    );
    expect(firstColumns[0]).toBeGreaterThan(0);
    expect(firstColumns[1]).toBeGreaterThan(firstColumns[0]! + 50);
    expect(firstColumns[2]).toBeGreaterThan(firstColumns[1]! + 50);
  });

  test.each([
    ["nothing", ""],
    ["only Chinese", "一只狐狸在雪地里奔跑"],
    ["a very long text", "word ".repeat(100_000)],
  ])("copes with a prompt of %s and sixteen inputs in the smallest picture", async (_, prompt) => {
    const { bytes } = await render();
    const image = await render({ width: 16, height: 16, prompt, inputs: Array(16).fill(bytes) });
    expect(await decode(image.bytes)).toMatchObject({ width: 16, height: 16 });
  });
});

describe("the call", () => {
  test.each(["png", "jpeg", "webp"] as const)("gives equal bytes for equal input, as %s", async (format) => {
    const inputs = [(await render()).bytes];
    const first = await render({ format, inputs });
    await closeMedia();
    const second = await render({ format, inputs: [Buffer.from(inputs[0]!)] });
    expect(Buffer.from(first.bytes).equals(second.bytes)).toBe(true);
    const other = await render({ format, seed: 2, inputs });
    expect(Buffer.from(first.bytes).equals(other.bytes)).toBe(false);
  });

  test("tells requests apart that differ in the bytes of an input alone", async () => {
    const [one, two] = [(await render({ seed: 5 })).bytes, (await render({ seed: 6 })).bytes];
    const first = await render({ inputs: [one] });
    const second = await render({ inputs: [two] });
    expect(Buffer.from(first.bytes).equals(second.bytes)).toBe(false);
  });

  test("gives every caller bytes of its own, and copies what it is given", async () => {
    const input = (await render()).bytes;
    const before = input.slice();
    const underWay = render({ inputs: [input], prompt: "copied" });
    input.fill(0);
    const spoiled = await underWay;
    const copy = spoiled.bytes.slice();
    spoiled.bytes.fill(0);
    const again = await render({ inputs: [before], prompt: "copied" });
    expect(Buffer.from(again.bytes).equals(copy)).toBe(true);
  });

  test("names the input that is no image", async () => {
    const inputs = [(await render()).bytes, Buffer.from("<html>not found</html>")];
    const refused = render({ inputs });
    await expect(refused).rejects.toThrow(RangeError);
    await expect(refused).rejects.toThrow(
      "inputs[1] is not an image that can be decoded (22 bytes, beginning 3c 68",
    );
    await expect(render({ inputs: [new Uint8Array()] })).rejects.toThrow("inputs[0] is empty");
    await expect(render({ inputs: ["data:" as never] })).rejects.toThrow(TypeError);
  });

  test("refuses transparency in a JPEG", async () => {
    await expect(render({ format: "jpeg", background: "transparent" })).rejects.toThrow(RangeError);
  });
});
