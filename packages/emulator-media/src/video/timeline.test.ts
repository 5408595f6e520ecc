import { expect, test } from "vitest";
import { planTimeline } from "./timeline.js";

const request = { frames: 120, loopFrames: 48, introFrames: 24, outroFrames: 24, groupOfPictures: 24 };

/** The frame that was painted for the packet shown at every frame. */
function shown(change: Partial<typeof request> = {}): number[] {
  const frames = change.frames ?? request.frames;
  const { painted, packetOf } = planTimeline({ ...request, ...change });
  return Array.from({ length: frames }, (_, frame) => painted[packetOf(frame)]!);
}

test("shows the beginning and the end once and repeats the loop between them", () => {
  const frames = shown();
  expect(frames.slice(0, 72)).toEqual(Array.from({ length: 72 }, (_, index) => index));
  expect(frames.slice(72, 96)).toEqual(Array.from({ length: 24 }, (_, index) => 24 + index));
  expect(frames.slice(96)).toEqual(Array.from({ length: 24 }, (_, index) => 96 + index));
});

test("paints no more for a longer video", () => {
  expect(planTimeline(request).painted).toHaveLength(96);
  expect(planTimeline({ ...request, frames: 1440 }).painted).toHaveLength(96);
});

test("starts every part with the first packet of a group", () => {
  const { painted, packetOf } = planTimeline({ ...request, frames: 131 });
  for (const start of [0, 24, 72, 107]) expect(packetOf(start) % 24).toBe(0);
  expect(painted[packetOf(130)]).toBe(130);
});

test.each([1, 2, 30, 96])("encodes all of a video of %i frames, which has no room for a loop", (frames) => {
  expect(shown({ frames })).toEqual(Array.from({ length: frames }, (_, index) => index));
});

test("is a plain loop without a beginning and an end", () => {
  const frames = shown({ introFrames: 0, outroFrames: 0, frames: 100 });
  expect(frames).toEqual(Array.from({ length: 100 }, (_, index) => index % 48));
});
