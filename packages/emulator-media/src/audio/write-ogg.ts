import { Crc } from "./crc.js";

/** A packet of coded sound. */
export interface OggPacket {
  data: Uint8Array;
  /** Where the sound ends that this packet completes, in the codec's own clock. */
  position: number;
}

const PAGE_HEADER_BYTES = 27;
const CHECKSUM_OFFSET = 22;
const FIRST_PAGE = 2;
const LAST_PAGE = 4;
const PACKETS_PER_PAGE = 50;

// A number of its own for each stream in a file; there is one, and equal input has to give equal bytes.
const SERIAL_NUMBER = 1;

const checksum = new Crc({ bits: 32, polynomial: 0x04c11db7 });

/** Writes an Ogg file (RFC 3533) with one stream: a page for each header packet, then pages of coded sound. */
export function writeOgg(headers: readonly Uint8Array[], packets: readonly OggPacket[]): Uint8Array {
  const pages = headers.map((header, index) => page(index, index === 0 ? FIRST_PAGE : 0, 0, [header]));
  for (let start = 0; start < packets.length; start += PACKETS_PER_PAGE) {
    const onPage = packets.slice(start, start + PACKETS_PER_PAGE);
    const flags = start + PACKETS_PER_PAGE >= packets.length ? LAST_PAGE : 0;
    const data = onPage.map((packet) => packet.data);
    pages.push(page(pages.length, flags, onPage.at(-1)!.position, data));
  }
  return new Uint8Array(Buffer.concat(pages));
}

/** One page. The packets are small enough that their lengths fit its 255 lacing values. */
function page(number: number, flags: number, position: number, packets: readonly Uint8Array[]): Buffer {
  const lacing = packets.flatMap(({ length }) => [
    ...Array<number>(Math.floor(length / 255)).fill(255),
    length % 255,
  ]);
  if (lacing.length > 255) throw new Error(`${packets.length} packets are too long for one Ogg page.`);
  const header = Buffer.alloc(PAGE_HEADER_BYTES + lacing.length);
  header.write("OggS", 0, "latin1");
  header[5] = flags;
  header.writeBigUInt64LE(BigInt(position), 6);
  header.writeUInt32LE(SERIAL_NUMBER, 14);
  header.writeUInt32LE(number, 18);
  header[26] = lacing.length;
  header.set(lacing, PAGE_HEADER_BYTES);
  const bytes = Buffer.concat([header, ...packets]);
  bytes.writeUInt32LE(checksum.of(bytes), CHECKSUM_OFFSET);
  return bytes;
}
