import sharp from "sharp";
import { afterAll, describe, expect, test } from "vitest";
import { closeMedia } from "./close-media.js";
import { describeImage } from "./describe-image.js";
import { renderImage } from "./render-image.js";

afterAll(closeMedia);

function plain(background: string, width = 60, height = 40) {
  return sharp({ create: { width, height, channels: 4, background } });
}

test.each(["png", "jpeg", "webp", "gif", "tiff", "avif"] as const)(
  "reads the type and size of a %s",
  async (format) => {
    const bytes = await plain("#3060c0").toFormat(format).toBuffer();
    expect(await describeImage(bytes)).toMatchObject({
      mediaType: `image/${format}`,
      width: 60,
      height: 40,
      colours: ["blue"],
    });
  },
);

test.each([
  ["#000000", 0, "dark"],
  ["#808080", 50, "medium"],
  ["#ffffff", 100, "bright"],
  // Green is the lightest of the three, blue the darkest.
  ["#00ff00", 72, "bright"],
  ["#0000ff", 7, "dark"],
])("measures how light %s is", async (color, luma, brightness) => {
  expect(await describeImage(await plain(color).png().toBuffer())).toMatchObject({ luma, brightness });
});

test("reads an SVG", async () => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><rect width="30" height="20" fill="red"/></svg>`;
  expect(await describeImage(Buffer.from(svg))).toMatchObject({
    mediaType: "image/svg+xml",
    width: 30,
    height: 20,
    colours: ["red"],
  });
});

test("gives the size of a turned photograph as it is shown", async () => {
  const bytes = await plain("#ffffff").withMetadata({ orientation: 6 }).jpeg().toBuffer();
  expect(await describeImage(bytes)).toMatchObject({ width: 40, height: 60 });
});

test("names the colours by how much they fill, and leaves specks out", async () => {
  const stripe = (background: string, width: number) => plain(background, width, 100).png().toBuffer();
  const bytes = await plain("#d02020", 100, 100)
    .composite([
      { input: await stripe("#f8f8f8", 30), left: 70, top: 0 },
      { input: await stripe("#2050d0", 15), left: 55, top: 0 },
      { input: await stripe("#20c040", 2), left: 0, top: 0 },
    ])
    .png()
    .toBuffer();
  expect((await describeImage(bytes)).colours).toEqual(["red", "white", "blue"]);
});

test.each([
  ["#101018", "dark"],
  ["#808080", "medium"],
  ["#f0f0e8", "bright"],
])("calls %s %s", async (background, brightness) => {
  expect(await describeImage(await plain(background).png().toBuffer())).toMatchObject({ brightness });
});

describe("transparency", () => {
  test("is told by the alpha channel, and what is not visible has no colour", async () => {
    const bytes = await plain("#ff000000")
      .composite([{ input: await plain("#00ff00", 20, 20).png().toBuffer() }])
      .png()
      .toBuffer();
    expect(await describeImage(bytes)).toMatchObject({ hasAlpha: true, colours: ["green"] });
    expect(await describeImage(await plain("#00000000").png().toBuffer())).toMatchObject({
      colours: [],
      brightness: "bright",
    });
    expect(await describeImage(await plain("#00ff00").jpeg().toBuffer())).toMatchObject({ hasAlpha: false });
  });
});

test("describes what renderImage makes", async () => {
  const { bytes } = await renderImage({ width: 640, height: 480, prompt: "a fox", seed: 1, format: "webp" });
  const description = await describeImage(bytes);
  expect(description).toMatchObject({ mediaType: "image/webp", width: 640, height: 480, hasAlpha: false });
  expect(description.colours.length).toBeGreaterThan(1);
});

test("reads greyscale and 16-bit pictures", async () => {
  const grey = await plain("#808080").toColourspace("b-w").png().toBuffer();
  const deep = await plain("#4060ff").removeAlpha().toColourspace("rgb16").png().toBuffer();
  expect((await describeImage(grey)).colours).toEqual(["grey"]);
  expect((await describeImage(deep)).colours).toEqual(["blue"]);
});

test.each([
  ["text", Buffer.from("hello world")],
  ["a cut-off header", Buffer.from([0x89, 0x50, 0x4e, 0x47])],
])("refuses %s", async (_, bytes) => {
  await expect(describeImage(bytes)).rejects.toThrow(RangeError);
  await expect(describeImage(bytes)).rejects.toThrow(/^bytes is not an image that can be decoded/);
});

test("refuses no bytes, and what is no bytes", async () => {
  await expect(describeImage(new Uint8Array())).rejects.toThrow("bytes is empty");
  await expect(describeImage("aGVsbG8=" as never)).rejects.toThrow(TypeError);
});
