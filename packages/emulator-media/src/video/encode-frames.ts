import h264 from "h264-mp4-encoder";
import type { MovingPicture } from "./moving-picture.js";
import type { Timeline } from "./timeline.js";
import { FRAME_RATE } from "./video-request.js";

const QUANTIZATION = 26;
const FASTEST = 10;

/** Paints and encodes what a timeline needs, as an MP4 with a key frame at the start of each of its groups. */
export async function encodeFrames(
  scene: MovingPicture,
  { painted, groupOfPictures }: Timeline,
): Promise<Uint8Array> {
  const encoder = await createEncoder();
  try {
    encoder.width = scene.picture.width;
    encoder.height = scene.picture.height;
    encoder.frameRate = FRAME_RATE;
    encoder.quantizationParameter = QUANTIZATION;
    encoder.speed = FASTEST;
    encoder.groupOfPictures = groupOfPictures;
    encoder.initialize();
    for (const frame of painted) {
      scene.paint(frame);
      encoder.addFrameYuv(scene.picture.data);
    }
    encoder.finalize();
    const file = encoder.FS.readFile(encoder.outputFilename);
    // The file system lives as long as the encoder's module, that is as long as the thread.
    encoder.FS.unlink(encoder.outputFilename);
    return file;
  } finally {
    encoder.delete();
  }
}

/**
 * The module puts its own process listeners in place as it loads; the one for unhandled rejections swallows them.
 * Without it such a rejection ends the worker, and the job is reported as failed instead of never being settled.
 */
async function createEncoder() {
  const listeners = process.listeners("unhandledRejection");
  const encoder = await h264.createH264MP4Encoder();
  for (const listener of process.listeners("unhandledRejection")) {
    if (!listeners.includes(listener)) process.off("unhandledRejection", listener);
  }
  return encoder;
}
