import { checkImageInput } from "../checks/check-url.js";
import type { Field } from "../checks/field.js";
import type { Resolution } from "../tasks/video-dimensions.js";
import type { NativeVideo } from "./start-native-task.js";
import { checkVideoSize } from "./video-size.js";

const TIERS = ["480P", "720P", "1080P"] as const;
const RATIOS = ["16:9", "9:16", "1:1", "4:3", "3:4"] as const;
const DURATION = { min: 2, max: 15, usual: 5 };
const SEED = { min: 0, max: 2_147_483_647 };

/** What a body of Bailian's own asks for, in the words of whichever generation of its models. */
export function checkBailianVideo(body: Field): NativeVideo {
  const input = body.get("input");
  input.object();
  const parameters = body.get("parameters");
  const frames = checkFrames(input);
  const prompt = input.get("prompt");
  const size = parameters.get("size").optional((field) => checkVideoSize(field, "*"));
  const tier = parameters.get("resolution").optional((field) => field.oneOf(TIERS));
  return {
    prompt: (frames.firstFrame === undefined ? prompt.nonEmptyString() : prompt.optional(asText)) ?? "",
    ...frames,
    ...size,
    resolution: (tier?.toLowerCase() as Resolution | undefined) ?? size?.resolution ?? "720p",
    ratio: parameters.get("ratio").optional((field) => field.oneOf(RATIOS)) ?? "adaptive",
    durationSeconds:
      parameters.get("duration").optional((field) => field.integer(DURATION)) ?? DURATION.usual,
    seed: parameters.get("seed").optional((field) => field.integer(SEED)),
    sound: parameters.get("audio").optional((field) => field.boolean()) ?? true,
  };
}

/** The first and last picture, which each generation of its models has called something else. */
function checkFrames(input: Field): Pick<NativeVideo, "firstFrame" | "lastFrame"> {
  const one = (...names: string[]) => {
    const given = names.map((name) => input.get(name)).find((field) => field.present);
    return given?.optional(checkImageInput);
  };
  const media = input.get("media").optional((field) => field.items()) ?? [];
  const ofType = (type: string) => {
    const item = media.find((each) => each.get("type").value === type);
    return item && checkImageInput(item.get("url"));
  };
  return {
    firstFrame: one("img_url", "first_frame_url", "image_url") ?? ofType("first_frame"),
    lastFrame: one("last_frame_url") ?? ofType("last_frame"),
  };
}

function asText(field: Field): string | undefined {
  return field.string();
}
