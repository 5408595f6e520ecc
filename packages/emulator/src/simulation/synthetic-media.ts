import type { MediaRenderer } from "../media/media-renderer.js";
import { seededRandom } from "./seeded-random.js";

const VIDEO_BYTES = 4_096;

/** Media that take no time: what a renderer makes in a worker would come whenever the machine likes. */
export const syntheticMedia: Partial<MediaRenderer> = {
  async renderVideo({ seed, durationSeconds }) {
    const random = seededRandom(seed);
    const numbers = new Uint32Array(VIDEO_BYTES / Uint32Array.BYTES_PER_ELEMENT);
    for (let at = 0; at < numbers.length; at++) numbers[at] = random() * 2 ** 32;
    const bytes = new Uint8Array(numbers.buffer);
    bytes.set(new TextEncoder().encode("\0\0\0\u0018ftypmp42"));
    return { bytes, mediaType: "video/mp4", durationSeconds, lastFrame: bytes.slice(0, 512) };
  },
};
