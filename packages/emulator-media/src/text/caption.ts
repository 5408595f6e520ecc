import { drawText, type FillRectangle } from "./draw-text.js";
import { LINE_HEIGHT, layOutText, type TextLayout } from "./lay-out-text.js";

export interface CaptionRequest {
  /** Size of the picture in pixels. */
  width: number;
  height: number;
  /** The large text. */
  prompt: string;
  /** Lines below it in small type, each cut to one line. */
  details: readonly string[];
  /** How much of the picture's height the prompt may take, from 0 to 1. */
  promptShare: number;
}

/** A panel over the whole width at the bottom of a picture, with text in two sizes. */
export interface Caption {
  /** The row where the panel begins; even, so that 4:2:0 pictures can be split there. */
  top: number;
  prompt: CaptionPart;
  details: CaptionPart;
}

interface CaptionPart {
  layout: TextLayout;
  x: number;
  y: number;
}

/** Finds sizes and places for a caption, as large as the picture allows. */
export function layOutCaption({ width, height, prompt, details, promptShare }: CaptionRequest): Caption {
  const unit = Math.max(1, Math.round(Math.min(width, height) / 260));
  const margin = Math.round(Math.min(width, height) * 0.05);
  const promptLayout = layOutText(prompt || "(no prompt)", {
    width: width - 2 * margin,
    height: height * promptShare,
    unit: unit * 2,
    smallestUnit: Math.max(1, Math.ceil(unit / 2)),
  });
  const detailUnit = Math.min(unit, promptLayout.unit);
  const detailLines = details.map((detail) =>
    layOutText(detail, {
      width: width - 2 * margin,
      height: LINE_HEIGHT * detailUnit,
      unit: detailUnit,
      smallestUnit: 1,
    }),
  );
  const detailLayout = {
    lines: detailLines.flatMap(({ lines }) => lines),
    unit: Math.min(detailUnit, ...detailLines.map((layout) => layout.unit)),
  };
  const heightOf = (layout: TextLayout) => layout.lines.length * LINE_HEIGHT * layout.unit;
  const textHeight = heightOf(promptLayout) + heightOf(detailLayout);
  const top = Math.max(0, Math.floor((height - textHeight - 2 * margin) / 2) * 2);
  return {
    top,
    prompt: { layout: promptLayout, x: margin, y: top + margin },
    details: { layout: detailLayout, x: margin, y: top + margin + heightOf(promptLayout) },
  };
}

/** Draws the text of a caption. Rectangles may lie partly outside the picture. */
export function drawCaption(caption: Caption, ink: Record<"prompt" | "details", FillRectangle>): void {
  for (const part of ["prompt", "details"] as const) {
    const { layout, x, y } = caption[part];
    drawText(layout, x, y, ink[part]);
  }
}
