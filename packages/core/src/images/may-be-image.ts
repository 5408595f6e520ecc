/** Servers of files often know no better than the two names for plain bytes. */
const IMAGE_TYPES = /^(?:image\/|application\/octet-stream\b|binary\/octet-stream\b)/i;

/**
 * Whether what was downloaded may be an image, by its media type. Ask it of addresses that a model wrote: a prompt can make
 * a model write any.
 */
export function mayBeImage(contentType: string): boolean {
  return IMAGE_TYPES.test(contentType);
}
