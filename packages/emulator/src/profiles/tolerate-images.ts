type Body = Record<string, unknown>;

const SIZES = ["1024x1024", "1536x1024", "1024x1536", "auto"];
const QUALITIES: Readonly<Record<string, string>> = { standard: "medium", hd: "high" };
/** Options that one shape has and the other has not. */
const OF_REFERENCE = [
  ...[
    "watermark",
    "sequential_image_generation",
    "sequential_image_generation_options",
    "seed",
    "guidance_scale",
  ],
];
const OF_BASE64 = [
  ...["quality", "background", "output_compression", "partial_images", "moderation", "mask", "n", "style"],
];

/** `POST /images/generations` and edits as clients send them: options of other models, their sizes and qualities. */
export function tolerateImages(body: Body, serves: string | undefined): Body {
  const isReference = serves === "reference-image";
  const tolerated: Body = { ...body };
  for (const name of isReference ? OF_BASE64 : [...OF_REFERENCE, "style", "response_format"])
    delete tolerated[name];
  if (isReference) return tolerated;
  const { size, quality } = tolerated;
  if (size !== undefined && !SIZES.includes(String(size))) tolerated["size"] = nearestSize(String(size));
  if (typeof quality === "string") tolerated["quality"] = QUALITIES[quality] ?? quality;
  return tolerated;
}

/** The size of the same shape. */
function nearestSize(size: string): string {
  const [width = 0, height = 0] = size.split("x").map(Number);
  if (!(width > 0 && height > 0)) return "auto";
  if (width === height) return "1024x1024";
  return width > height ? "1536x1024" : "1024x1536";
}
