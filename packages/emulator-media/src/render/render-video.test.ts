import { decode } from "fast-png";
import { BufferSource, EncodedPacketSink, Input, MP4 } from "mediabunny";
import { afterAll, describe, expect, test } from "vitest";
import { decodeFrames } from "../../test/decode-frames.js";
import { rgbFromYuv, YuvPicture } from "../image/yuv-picture.js";
import { SceneFilm } from "../video/scene-film.js";
import type { VideoRequest } from "../video/video-request.js";
import { closeMedia } from "./close-media.js";
import { renderVideo } from "./render-video.js";

const request: VideoRequest = {
  width: 192,
  height: 128,
  durationSeconds: 1,
  prompt: "A red fox",
  seed: 1,
  audio: false,
};

afterAll(closeMedia);

async function readContainer(file: Uint8Array) {
  using input = new Input({ source: new BufferSource(file), formats: [MP4] });
  const tracks = await input.getTracks();
  const video = await input.getPrimaryVideoTrack();
  const audio = await input.getPrimaryAudioTrack();
  const timestamps: number[] = [];
  const keyFrames: number[] = [];
  for await (const packet of new EncodedPacketSink(video!).packets()) {
    if (packet.type === "key") keyFrames.push(timestamps.length);
    timestamps.push(packet.timestamp);
  }
  return {
    kinds: tracks.map((track) => track.type),
    size: [await video?.getDisplayWidth(), await video?.getDisplayHeight()],
    codec: (await video?.getDecoderConfig())?.codec,
    colorSpace: (await video?.getDecoderConfig())?.colorSpace,
    duration: await input.computeDuration(),
    videoDuration: await video?.computeDuration(),
    audio: audio && {
      config: await audio.getDecoderConfig(),
      duration: await audio.computeDuration(),
      bytesPerPacket: await averagePacketBytes(audio),
    },
    timestamps,
    keyFrames,
  };
}

async function averagePacketBytes(
  track: ConstructorParameters<typeof EncodedPacketSink>[0],
): Promise<number> {
  let [bytes, packets] = [0, 0];
  for await (const packet of new EncodedPacketSink(track).packets()) {
    bytes += packet.byteLength;
    packets++;
  }
  return bytes / packets;
}

describe("the container", () => {
  test("holds H.264 Baseline of the requested size, with every frame at its time", async () => {
    const { bytes, mediaType, durationSeconds } = await renderVideo({ ...request, durationSeconds: 5 });
    const container = await readContainer(bytes);
    expect(mediaType).toBe("video/mp4");
    expect(durationSeconds).toBe(5);
    expect(container).toMatchObject({ kinds: ["video"], size: [192, 128], duration: 5, videoDuration: 5 });
    expect(container.codec).toMatch(/^avc1\.42/);
    expect(container.colorSpace).toMatchObject({ matrix: "bt709", fullRange: false });
    expect(container.timestamps).toEqual(
      Array.from({ length: 120 }, (_, index) => expect.closeTo(index / 24, 5)),
    );
    expect(container.keyFrames).toEqual([0, 48, 96]);
  });

  test.each([
    [1.3, 31],
    [0.01, 1],
    [2.5, 60],
  ])("rounds a length of %d s to %i whole frames", async (seconds, frames) => {
    const { bytes, durationSeconds } = await renderVideo({ ...request, durationSeconds: seconds });
    expect(durationSeconds).toBe(frames / 24);
    expect((await readContainer(bytes)).timestamps).toHaveLength(frames);
  });

  test("has a mono AAC track that lasts as long as the picture, when asked for", async () => {
    const { bytes } = await renderVideo({ ...request, durationSeconds: 3, audio: true });
    const container = await readContainer(bytes);
    expect(container).toMatchObject({ kinds: ["video", "audio"], duration: 3, videoDuration: 3 });
    expect(container.audio?.config).toMatchObject({
      codec: "mp4a.40.2",
      numberOfChannels: 1,
      sampleRate: 48_000,
    });
    expect(container.audio?.duration).toBeGreaterThan(3 - 2 * (1024 / 48_000));
    expect(container.audio?.duration).toBeLessThanOrEqual(3);
    // A packet of silence takes less than ten bytes.
    expect(container.audio?.bytesPerPacket).toBeGreaterThan(50);
  });

  test("has sound in a video that is shorter than a frame of sound", async () => {
    const { bytes } = await renderVideo({ ...request, durationSeconds: 0.04, audio: true });
    expect(await readContainer(bytes)).toMatchObject({ kinds: ["video", "audio"], videoDuration: 1 / 24 });
  });
});

describe("the picture", () => {
  test("decodes to the requested number of frames and moves", async () => {
    const frames = await decodeFrames((await renderVideo({ ...request, durationSeconds: 3 })).bytes);
    expect(frames).toHaveLength(72);
    for (const frame of frames) expect(frame).toMatchObject({ codedWidth: 192, codedHeight: 128 });
    // Small things move less than a pixel where they turn.
    const different = frames.slice(1).filter((frame, index) => !equal(frame.data, frames[index]!.data));
    expect(different.length).toBeGreaterThan(40);
    expect(equal(frames[0]!.data, frames[48]!.data)).toBe(true);
  });

  test("has the last frame that the PNG shows", async () => {
    const { bytes, lastFrame } = await renderVideo({ ...request, durationSeconds: 1.5 });
    const decoded = (await decodeFrames(bytes)).at(-1)!;
    const picture = new YuvPicture(192, 128);
    picture.data.set(decoded.data);
    const png = decode(lastFrame, { checkCrc: true });
    expect(png).toMatchObject({ width: 192, height: 128, channels: 3, depth: 8 });
    expect(farPixels(rgbFromYuv(picture).data, png.data)).toBeLessThan(20);
    const first = await renderVideo({ ...request, durationSeconds: 0.04 });
    expect(farPixels(decode(first.lastFrame).data, png.data)).toBeGreaterThan(200);
  });

  test("keeps a size that is no multiple of a macroblock", async () => {
    const { bytes, lastFrame } = await renderVideo({ ...request, width: 202, height: 134 });
    expect(await readContainer(bytes)).toMatchObject({ size: [202, 134] });
    expect((await decodeFrames(bytes))[0]).toMatchObject({ codedWidth: 208, codedHeight: 144 });
    expect(decode(lastFrame)).toMatchObject({ width: 202, height: 134 });
  });

  test("shows the scene of the prompt: its things in their colours, on their sides, in every frame", async () => {
    const { bytes } = await renderVideo({
      ...request,
      prompt: "left a red car, right a blue house",
      durationSeconds: 2,
    });
    for (const { data } of (await decodeFrames(bytes)).filter((_, index) => index % 12 === 0)) {
      const picture = new YuvPicture(192, 128);
      picture.data.set(data);
      const { data: rgb } = rgbFromYuv(picture);
      const count = { redLeft: 0, redRight: 0, blueLeft: 0, blueRight: 0 };
      for (let at = 0; at < rgb.length; at += 3) {
        const side = (at / 3) % 192 < 96 ? "Left" : "Right";
        const [red, green, blue] = [rgb[at]!, rgb[at + 1]!, rgb[at + 2]!];
        if (red > 150 && green < 100 && blue < 100) count[`red${side}`]++;
        if (blue > 150 && red < 90 && green < 140) count[`blue${side}`]++;
      }
      expect(count.redLeft).toBeGreaterThan(300);
      expect(count.blueRight).toBeGreaterThan(300);
      expect(count.redRight).toBeLessThan(30);
      expect(count.blueLeft).toBeLessThan(30);
    }
  });

  test.each(["a city at night", "a red car", "a boat", "snow", "rain", "a balloon", "a room"])(
    "moves and comes back to where it began: %s",
    async (prompt) => {
      const film = new SceneFilm({ ...request, width: 320, height: 240, prompt }, 48);
      const frames = Array.from({ length: 49 }, (_, frame) => {
        film.paint(frame);
        return film.picture.data.slice();
      });
      expect(equal(frames[0]!, frames[48]!)).toBe(true);
      const steps = frames
        .slice(1)
        .map((frame, index) => frame.filter((value, at) => value !== frames[index]![at]).length);
      expect(steps.filter((step) => step > 0).length).toBeGreaterThan(20);
    },
  );

  test("lets snow fall without a jump where the loop begins again", () => {
    const film = new SceneFilm({ ...request, width: 480, height: 640, prompt: "snow at night" }, 48);
    const frames = Array.from({ length: 49 }, (_, frame) => {
      film.paint(frame);
      return film.picture.luma.slice();
    });
    // How far down the flakes of one frame are found in the next.
    const fall = (index: number) => {
      const misses = Array.from({ length: 20 }, (_, shift) => {
        let missed = 0;
        for (let at = 0; at < 480 * 280; at++) {
          const flake = frames[index]![at]! > 150;
          if (flake && frames[index + 1]![at + shift * 480]! <= 150) missed++;
        }
        return missed;
      });
      return misses.indexOf(Math.min(...misses));
    };
    // Half of the height in 48 frames.
    for (const index of [0, 20, 46, 47]) {
      expect(fall(index)).toBeGreaterThanOrEqual(6);
      expect(fall(index)).toBeLessThanOrEqual(7);
    }
  });

  test("has a caption of a tenth of the height at most, in Chinese too", async () => {
    const rows = async (prompt: string) => {
      const { lastFrame } = await renderVideo({
        ...request,
        width: 640,
        height: 360,
        prompt,
        durationSeconds: 0.04,
      });
      return decode(lastFrame);
    };
    const [one, other] = [await rows("夜晚们"), await rows("夜晚吗")];
    const different = Array.from({ length: 360 }, (_, y) => y).filter((y) =>
      Array.from({ length: 640 * 3 }, (_, x) => y * 640 * 3 + x).some(
        (at) => one.data[at] !== other.data[at],
      ),
    );
    expect(different.length).toBeGreaterThan(8);
    expect(Math.min(...different)).toBeGreaterThanOrEqual(0.9 * 360);
  });

  test("is composed by the seed", async () => {
    const films = await Promise.all(
      [1, 2, 3, 0.5, -1].map(async (seed) =>
        Buffer.from((await renderVideo({ ...request, seed })).lastFrame),
      ),
    );
    expect(new Set(films.map((film) => film.toString("base64"))).size).toBe(5);
  });

  test.each([
    ["nothing", ""],
    ["only Chinese", "一只狐狸在雪地里奔跑"],
    ["half a surrogate pair", "\ud83e"],
    ["a very long text", "word ".repeat(100_000)],
    ["a very long word", "w".repeat(1000)],
  ])("copes with a prompt of %s in the smallest picture", async (_, prompt) => {
    const { bytes } = await renderVideo({ ...request, width: 64, height: 64, durationSeconds: 0.1, prompt });
    expect(await decodeFrames(bytes)).toHaveLength(2);
  });
});

describe("the call", () => {
  test("gives equal bytes for equal input, also from a new thread", async () => {
    const first = await renderVideo({ ...request, audio: true });
    await closeMedia();
    const second = await renderVideo({ ...request, audio: true });
    expect(equal(first.bytes, second.bytes)).toBe(true);
    expect(equal(first.lastFrame, second.lastFrame)).toBe(true);
    const header = Buffer.from(first.bytes).indexOf("mvhd");
    expect([...first.bytes.subarray(header + 8, header + 16)]).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
  });

  test("gives every caller bytes of its own", async () => {
    const spoiled = await renderVideo(request);
    const before = spoiled.bytes.slice();
    spoiled.bytes.fill(0);
    expect(equal((await renderVideo(request)).bytes, before)).toBe(true);
  });

  test("answers parallel calls, each with its own video", async () => {
    const sizes = [64, 80, 96, 112];
    const videos = await Promise.all(
      sizes.map((width) => renderVideo({ ...request, width, durationSeconds: 0.5 })),
    );
    const widths = await Promise.all(videos.map(async ({ bytes }) => (await readContainer(bytes)).size[0]));
    expect(widths).toEqual(sizes);
  });

  test("leaves the event loop free while it encodes", async () => {
    let ticks = 0;
    const interval = setInterval(() => ticks++, 1);
    await renderVideo({ ...request, width: 640, height: 360, prompt: "ticking" });
    clearInterval(interval);
    expect(ticks).toBeGreaterThan(0);
  });

  test("rejects an odd size and says what to use", async () => {
    await expect(renderVideo({ ...request, width: 193 })).rejects.toThrow("use 192 or 194");
  });

  test("rejects when the media worker is closed first, and works again afterwards", async () => {
    const unfinished = renderVideo({ ...request, prompt: "closed" });
    const rejected = expect(unfinished).rejects.toThrow("the media worker was closed first");
    await closeMedia();
    await rejected;
    expect(await renderVideo({ ...request, prompt: "closed" })).toHaveProperty("durationSeconds", 1);
  });
});

function equal(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.from(left).equals(Buffer.from(right));
}

/** How many samples differ clearly, by more than lossy coding explains. */
function farPixels(left: ArrayLike<number>, right: ArrayLike<number>): number {
  expect(left).toHaveLength(right.length);
  return Array.from(left).filter((value, index) => Math.abs(value - right[index]!) > 40).length;
}
