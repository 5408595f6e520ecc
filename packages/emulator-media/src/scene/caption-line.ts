import { cutLabel, drawableText, layOutLabel } from "./label.js";
import { n } from "./svg.js";

/** The share of the height that a caption takes. */
const SHARE = 0.075;

/** Smaller type cannot be read. */
const SMALLEST_TYPE = 7;
const LARGEST_STRIP = 96;

/** One line at the bottom of a picture, at most a tenth of its height. */
export interface CaptionLine {
  /** Markup in pixels of the picture. */
  markup: string;
  /** How much of the picture's height it takes, from 0 to 0.1. */
  share: number;
}

/** What was asked for, and at its right, where there is room, details in fainter ink; nothing in a small picture. */
export function layOutCaptionLine({
  width,
  height,
  prompt,
  details,
}: {
  width: number;
  height: number;
  prompt: string;
  details: readonly string[];
}): CaptionLine {
  const strip = Math.min(
    Math.round(height * SHARE),
    Math.max(Math.round(LARGEST_STRIP), Math.round(Math.min(width, height) * 0.05)),
    Math.round(width * 0.09),
  );
  const size = strip * 0.56;
  if (size < SMALLEST_TYPE || drawableText(`${prompt}${details.join("")}`) === "")
    return { markup: "", share: 0 };
  const margin = strip * 0.55;
  const about = cutLabel(
    details.join("  ·  "),
    (width - 3 * margin) * (prompt === "" ? 1 : 0.45),
    size * 0.74,
  );
  const room = width - 2 * margin - (about.text === "" ? 0 : about.width + margin);
  // A little smaller rather than cut.
  const line = cutLabel(prompt, room, Math.max(size * 0.72, layOutLabel(prompt, room, size).size));
  const top = height - strip;
  const text = (x: number, anchor: string, { text: shown, size: type }: typeof line, opacity: number) =>
    shown === ""
      ? ""
      : `<text x="${n(x)}" y="${n(top + strip / 2 + size * 0.36)}" text-anchor="${anchor}" font-family="Noto Sans SC" font-size="${n(type)}" fill="#fff" fill-opacity="${opacity}">${shown}</text>`;
  return {
    markup:
      `<rect x="0" y="${n(top)}" width="${width}" height="${strip}" fill="#14161c" fill-opacity=".66"/>` +
      text(margin, "start", line, 1) +
      text(width - margin, "end", about, 0.68),
    share: strip / height,
  };
}
