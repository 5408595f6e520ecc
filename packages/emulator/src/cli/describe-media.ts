import { MediaRendererLease } from "../media/media-renderer-lease.js";

/** Where pictures, voices and films come from, or what there is without the package that makes them. */
export async function describeMedia(lease = new MediaRendererLease()): Promise<string> {
  try {
    await lease.require("renderVideo", "A film");
    return "pictures, voices and films from @model-gateway/emulator-media";
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `plain PNG pictures, WAV tones, one spoken sentence and one film for all.\n                   ${reason}`;
  } finally {
    await lease.release();
  }
}
