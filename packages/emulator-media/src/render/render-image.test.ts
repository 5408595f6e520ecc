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

type Pixel = readonly [red: number, green: number, blue: number];
const isRed = ([red, green, blue]: Pixel) => red > 150 && green < 95 && blue < 95;
const isBlue = ([red, green, blue]: Pixel) => blue > 150 && red < 90 && green < 140;
const isGreen = ([red, green, blue]: Pixel) => green > 130 && red < 90 && blue < 120;
const isYellow = ([red, green, blue]: Pixel) => red > 215 && green > 170 && blue < 70;

/** How much of each half of a picture passes a test. */
async function shares(image: Partial<ImageRequest>, test: (pixel: Pixel) => boolean) {
  const { width, height, at } = await decode((await render({ width: 480, height: 360, ...image })).bytes);
  const found = { left: 0, right: 0 };
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [red = 0, green = 0, blue = 0] = at(x, y);
      if (test([red, green, blue])) found[x < width / 2 ? "left" : "right"] += 2 / (width * height);
    }
  }
  return found;
}

describe("the picture", () => {
  test.each([
    ["a red car on the left and a blue house on the right"],
    ["links ein rotes Auto, rechts ein blaues Haus"],
    ["左边一辆红色的汽车，右边一座蓝色的房子"],
  ])("has things in their colours where they were asked for: %s", async (prompt) => {
    const [red, blue] = [await shares({ prompt }, isRed), await shares({ prompt }, isBlue)];
    expect(red.left).toBeGreaterThan(0.06);
    expect(red.right).toBeLessThan(0.001);
    expect(blue.right).toBeGreaterThan(0.06);
    expect(blue.left).toBeLessThan(0.001);
  });

  test.each([
    ["a red square", "a green square", isRed, isGreen],
    ["ein roter Würfel", "ein grüner Würfel", isRed, isGreen],
    ["一个红色的圆形", "一个绿色的圆形", isRed, isGreen],
    ["a red bicycle", "a blue bicycle", isRed, isBlue],
    ["a yellow zorgle", "a red zorgle", isYellow, isRed],
  ] as const)("%s is no %s", async (one, other, isOne, isOther) => {
    const total = async (prompt: string, test: (pixel: Pixel) => boolean) => {
      const { left, right } = await shares({ prompt, width: 400, height: 400 }, test);
      return left + right;
    };
    expect(await total(one, isOne)).toBeGreaterThan(0.012);
    expect(await total(one, isOther)).toBeLessThan(0.006);
    expect(await total(other, isOther)).toBeGreaterThan(0.012);
    expect(await total(other, isOne)).toBeLessThan(0.006);
  });

  test("has as many things as were asked for", async () => {
    const { width, height, at } = await decode(
      (await render({ prompt: "four red circles on a white background", width: 800, height: 400 })).bytes,
    );
    // Along each line the runs of red: one per ball that the line meets.
    const runs = Array.from({ length: height }, (_, y) => {
      const row = Array.from({ length: width }, (_, x) => isRed(at(x, y) as unknown as Pixel));
      return row.filter((red, x) => red && !row[x - 1]).length;
    });
    expect(Math.max(...runs)).toBe(4);
  });

  test("is darker at night, and white on the ground in snow", async () => {
    const meanOf = async (prompt: string, part: readonly [from: number, to: number]) => {
      const { width, height, at } = await decode((await render({ prompt })).bytes);
      let [sum, pixels] = [0, 0];
      for (let y = Math.floor(height * part[0]); y < height * part[1]; y++) {
        for (let x = 0; x < width; x++, pixels++) sum += (at(x, y)[0]! + at(x, y)[1]! + at(x, y)[2]!) / 3;
      }
      return sum / pixels;
    };
    const sky = [0, 0.5] as const;
    const ground = [0.75, 0.9] as const;
    for (const [night, day] of [
      ["a house at night", "a house at noon"],
      ["ein Haus in der Nacht", "ein Haus am Mittag"],
      ["夜晚的房子", "中午的房子"],
    ] as const) {
      expect(await meanOf(night, sky)).toBeLessThan(0.5 * (await meanOf(day, sky)));
    }
    expect(await meanOf("a hill in the snow", ground)).toBeGreaterThan(195);
    expect(await meanOf("a hill", ground)).toBeLessThan(150);
  });

  test("differs with the seed", async () => {
    const pictures = await Promise.all(
      [1, 2, 3, 0.5, -1].map(async (seed) => Buffer.from((await render({ seed })).bytes).toString("base64")),
    );
    expect(new Set(pictures).size).toBe(5);
  });

  test.each(["png", "webp"] as const)(
    "is transparent around the things when asked for, as %s",
    async (format) => {
      const { bytes } = await render({ format, background: "transparent", prompt: "a red car" });
      expect(await sharp(bytes).metadata()).toMatchObject({ hasAlpha: true });
      const picture = await decode(bytes);
      expect(picture.at(0, 0)[3]).toBe(0);
      expect(picture.at(319, 0)[3]).toBe(0);
      const red = picture.count((r, g, b, alpha) => alpha === 255 && isRed([r, g, b]));
      expect(red).toBeGreaterThan(1500);
      const panelAlpha = picture.at(319, 238)[3]!;
      expect(panelAlpha).toBeGreaterThan(120);
      expect(panelAlpha).toBeLessThan(255);
    },
  );

  test("without a thing in it shows the view through a hole when it is to be transparent", async () => {
    const picture = await decode((await render({ background: "transparent", prompt: "sunset" })).bytes);
    expect(picture.at(2, 2)[3]).toBe(0);
    expect(picture.at(160, 110)[3]).toBe(255);
  });
});

describe("the caption", () => {
  const captionOf = async (change: Partial<ImageRequest>) => {
    const size = { width: 640, height: 480, ...change };
    const [plain, captioned] = await Promise.all(
      [{ ...size, prompt: "", details: [] }, size].map(async (one) => decode((await render(one)).bytes)),
    );
    const rows = Array.from({ length: size.height }, (_, y) =>
      Array.from({ length: size.width }, (_, x) => x).some(
        (x) => String(plain!.at(x, y)) !== String(captioned!.at(x, y)),
      ),
    );
    return { first: rows.indexOf(true), picture: captioned! };
  };

  test.each([
    [640, 480],
    [1024, 1024],
    [480, 1200],
    [1600, 300],
  ])("takes a tenth of %i x %i at most", async (width, height) => {
    // Names nothing that is drawn, so that all that differs is the caption.
    const { first } = await captionOf({ width, height, prompt: "at noon", details: ["quality high"] });
    expect(first).toBeGreaterThanOrEqual(Math.floor(0.9 * height));
  });

  test("is written in Chinese, not in boxes: each character is another picture", async () => {
    const strips = await Promise.all(
      ["们", "它", "吗", "呢"].map(async (prompt) => {
        const { data, info } = await sharp(
          (await render({ width: 640, height: 480, prompt: `中午${prompt}` })).bytes,
        )
          .extract({ left: 0, top: 446, width: 200, height: 34 })
          .raw()
          .toBuffer({ resolveWithObject: true });
        const ink = data.filter((value) => value > 225).length / info.channels;
        return { ink, bytes: data.toString("base64") };
      }),
    );
    expect(new Set(strips.map(({ bytes }) => bytes)).size).toBe(4);
    for (const { ink } of strips) expect(ink).toBeGreaterThan(40);
  });

  test("holds details in a fainter ink", async () => {
    const inkOf = async (details: string[]) => {
      const { bytes } = await render({ width: 640, height: 480, prompt: "", details });
      const strip = await sharp(bytes)
        .extract({ left: 320, top: 446, width: 320, height: 34 })
        .greyscale()
        .raw()
        .toBuffer();
      return {
        light: strip.filter((value) => value > 150).length,
        white: strip.filter((value) => value > 240).length,
      };
    };
    const with_ = await inkOf(["640x480 · edit of 2 images"]);
    expect(with_.light).toBeGreaterThan(100);
    expect(with_.white).toBe(0);
  });

  test("is left out where nobody could read it", async () => {
    const small = await decode((await render({ width: 64, height: 64, prompt: "at noon" })).bytes);
    const empty = await decode((await render({ width: 64, height: 64, prompt: "" })).bytes);
    const differing = Array.from(
      { length: 64 * 64 },
      (_, index) => [index % 64, Math.floor(index / 64)] as const,
    ).filter(([x, y]) => String(small.at(x, y)) !== String(empty.at(x, y)));
    expect(differing).toEqual([]);
  });
});

describe("an edit", () => {
  const plain = (background: string, width = 400, height = 300) =>
    sharp({ create: { width, height, channels: 3, background } })
      .png()
      .toBuffer();

  test("keeps the picture that was given below what its prompt adds", async () => {
    const inputs = [await plain("#00c800")];
    const picture = await decode(
      (await render({ width: 400, height: 300, inputs, prompt: "add a red car" })).bytes,
    );
    expect(picture.at(5, 5).slice(0, 3)).toEqual([0, 200, 0]);
    expect(picture.count((r, g, b) => r === 0 && g === 200 && b === 0)).toBeGreaterThan(400 * 300 * 0.6);
    expect(picture.count((r, g, b) => isRed([r, g, b]))).toBeGreaterThan(400 * 300 * 0.03);
  });

  test("shows every further input, in order", async () => {
    const inputs = await Promise.all(
      ["#808080", "#ff0000", "#00ff00", "#0000ff"].map((color) => plain(color, 40, 30)),
    );
    const picture = await decode((await render({ width: 600, height: 400, inputs, prompt: "" })).bytes);
    const row = Array.from({ length: 600 }, (_, x) => picture.at(x, 50));
    const firstColumns = [0, 1, 2].map((channel) =>
      row.findIndex((pixel) =>
        pixel.slice(0, 3).every((value, index) => (index === channel ? value > 240 : value < 15)),
      ),
    );
    expect(firstColumns[0]).toBeGreaterThan(0);
    expect(firstColumns[1]).toBeGreaterThan(firstColumns[0]! + 50);
    expect(firstColumns[2]).toBeGreaterThan(firstColumns[1]! + 50);
    expect(picture.at(300, 300).slice(0, 3)).toEqual([128, 128, 128]);
  });
});

describe("any prompt", () => {
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
