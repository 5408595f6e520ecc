/**
 * Checks an encoded image that was passed in and copies it, so that later changes by the caller do no harm, and
 * so that a small view of a large buffer does not take all of the buffer along to the media thread.
 *
 * @throws TypeError for anything but a `Uint8Array`; RangeError for an empty one.
 */
export function copyEncodedImage(name: string, bytes: Uint8Array): Uint8Array {
  if (!(bytes instanceof Uint8Array)) {
    throw new TypeError(`${name} must be a Uint8Array with the bytes of an image file.`);
  }
  if (bytes.length === 0) throw new RangeError(`${name} is empty: it must hold the bytes of an image file.`);
  return new Uint8Array(bytes);
}
