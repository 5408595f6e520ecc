import type { YuvPicture } from "../image/yuv-picture.js";
import { type Caption, drawCaption, layOutCaption } from "../text/caption.js";
import { countFrames, FRAME_RATE, type VideoRequest } from "./video-request.js";

/** Luma of the prompt; its chroma is that of the panel below it, which reads as a tinted white. */
const PROMPT_LUMA = 232;
const DETAILS_LUMA = PROMPT_LUMA * 0.7;

// What is left of the picture's light and colour under the panel.
const LUMA_SHARE = 0.25;
const CHROMA_SHARE = 0.35;

/** Lays out a video's caption: the prompt, and a line with size, length and seed. */
export function layOutVideoCaption(request: VideoRequest, promptShare: number): Caption {
  const { width, height, prompt, seed } = request;
  const seconds = Number((countFrames(request) / FRAME_RATE).toFixed(2));
  const details = [`${width}x${height}  ${seconds} s  seed ${seed}`];
  return layOutCaption({ width, height, prompt, details, promptShare });
}

/** Paints a caption's panel and text over a picture, from not at all (strength 0) to fully (1). */
export function paintCaption(picture: YuvPicture, caption: Caption, strength = 1): void {
  darken(picture, caption.top, strength);
  drawCaption(caption, {
    prompt: inkLuma(picture, PROMPT_LUMA, strength),
    details: inkLuma(picture, DETAILS_LUMA, strength),
  });
}

function darken({ luma, chromaU, chromaV, width }: YuvPicture, top: number, strength: number): void {
  const lumaShare = 1 - (1 - LUMA_SHARE) * strength;
  const chromaShare = 1 - (1 - CHROMA_SHARE) * strength;
  for (let i = top * width; i < luma.length; i++) luma[i] = 16 + (luma[i]! - 16) * lumaShare;
  for (const plane of [chromaU, chromaV]) {
    for (let i = (top / 2) * (width / 2); i < plane.length; i++) {
      plane[i] = 128 + (plane[i]! - 128) * chromaShare;
    }
  }
}

function inkLuma({ luma, width, height }: YuvPicture, value: number, strength: number) {
  return (x: number, y: number, columns: number, rows: number) => {
    for (let row = y; row < Math.min(y + rows, height); row++) {
      for (let at = row * width + Math.min(x, width); at < row * width + Math.min(x + columns, width); at++) {
        luma[at] = luma[at]! + (value - luma[at]!) * strength;
      }
    }
  };
}
