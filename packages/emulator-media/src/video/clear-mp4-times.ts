const CONTAINERS = new Set(["moov", "trak", "mdia"]);
const HEADERS = new Set(["mvhd", "tkhd", "mdhd"]);
const BOX_HEADER_BYTES = 8;
const VERSION_AND_FLAGS_BYTES = 4;

/**
 * Sets the creation and modification times of an MP4 file to zero ("unknown", ISO/IEC 14496-12 §8.2.2, §8.3.2
 * and §8.4.2), in place: they are all that makes two files from equal input differ.
 */
export function clearMp4Times(file: Uint8Array): Uint8Array {
  clearWithin(new DataView(file.buffer, file.byteOffset, file.byteLength), file);
  return file;
}

function clearWithin(view: DataView, file: Uint8Array, from = 0, to = view.byteLength): void {
  for (let at = from; at + BOX_HEADER_BYTES <= to; ) {
    const size = view.getUint32(at);
    // Only the media data may be so large that its size takes 64 bits, or reach to the end of the file.
    if (size < BOX_HEADER_BYTES) return;
    const type = String.fromCharCode(...file.subarray(at + 4, at + BOX_HEADER_BYTES));
    const body = at + BOX_HEADER_BYTES;
    if (CONTAINERS.has(type)) clearWithin(view, file, body, at + size);
    if (HEADERS.has(type)) {
      const bytesPerTime = file[body] === 1 ? 8 : 4;
      const times = body + VERSION_AND_FLAGS_BYTES;
      file.fill(0, times, times + 2 * bytesPerTime);
    }
    at += size;
  }
}
