/**
 * Thrown on the media thread for input that only the thread can see is wrong, such as bytes that are no image. The
 * caller gets a `RangeError` with the same message.
 */
export class InvalidInput extends RangeError {}
