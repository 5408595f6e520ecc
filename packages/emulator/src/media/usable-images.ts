import type { MediaRendererLease } from "./media-renderer-lease.js";

/**
 * Those of the pictures that can be decoded, in order; the others are left out, as a model ignores what it cannot
 * make sense of. None without the media package, which alone can decode.
 */
export async function usableImages(
  { media }: { media: MediaRendererLease },
  images: readonly Uint8Array[],
): Promise<Uint8Array[]> {
  const describe = images.length === 0 ? undefined : await media.find("describeImage");
  if (!describe) return [];
  const checked = await Promise.all(
    images.map((bytes) =>
      describe(bytes).then(
        () => bytes,
        () => undefined,
      ),
    ),
  );
  return checked.filter((bytes) => bytes !== undefined);
}
