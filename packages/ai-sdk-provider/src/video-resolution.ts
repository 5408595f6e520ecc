/** Resolution and ratio as the API names them. */
export interface VideoFrame {
  resolution: string;
  ratio: string;
}

/** Sizes of each tier in landscape, with their ratio: what the families behind the gateway render. */
const SIZES: Record<string, Record<string, readonly string[]>> = {
  "480p": {
    "16:9": ["864x496", "864x480", "832x480", "854x480", "848x480"],
    "4:3": ["752x560", "736x544", "640x480"],
    "1:1": ["640x640", "624x624", "480x480"],
    "21:9": ["992x432", "960x416"],
  },
  "720p": {
    "16:9": ["1280x720", "1248x704"],
    "4:3": ["1112x834", "1120x832", "960x720"],
    "1:1": ["960x960", "720x720"],
    "21:9": ["1470x630", "1504x640"],
  },
  "1080p": {
    "16:9": ["1920x1080", "1920x1088"],
    "4:3": ["1664x1248", "1440x1080"],
    "1:1": ["1440x1440", "1080x1080"],
    "21:9": ["2206x946", "2176x928"],
  },
  "4k": { "16:9": ["3840x2160"], "4:3": ["2880x2160"], "1:1": ["2160x2160"], "21:9": ["3840x1646"] },
};

const BY_SIZE = new Map<string, VideoFrame>();
for (const [resolution, ratios] of Object.entries(SIZES)) {
  for (const [ratio, sizes] of Object.entries(ratios)) {
    for (const size of sizes) {
      BY_SIZE.set(size, { resolution, ratio });
      BY_SIZE.set(mirror(size, "x"), { resolution, ratio: mirror(ratio, ":") });
    }
  }
}

function mirror(text: string, separator: string): string {
  return text.split(separator).reverse().join(separator);
}

/** The SDK names a size in pixels, the API a tier and a ratio. @returns undefined for sizes of no tier */
export function frameOfSize(size: string): VideoFrame | undefined {
  return BY_SIZE.get(size);
}
