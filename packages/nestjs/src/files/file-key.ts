import { createHash } from "node:crypto";
import { InvalidRequestError } from "@model-gateway/core";

/** What stays as it is. No upper case, because some file systems take it for the lower one. */
const PLAIN = /^[a-z0-9][a-z0-9_-]{0,63}(?:\.[a-z0-9]{1,8})?$/;
/** Files of any name called so lead to a device on Windows. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/;
const NAME = /^[\w~-][\w.~-]{0,127}$/;
const SHOWN_LENGTH = 40;
const HASH_LENGTH = 24;

/**
 * A key for `FileStore` of any texts: `fileKey("invoices", "Ünal & Co.")`. Different texts make different keys, on any file
 * system; short ones of lower-case letters, digits, `_` and `-` stay as they are.
 */
export function fileKey(...texts: [string, ...string[]]): string {
  return texts.map(nameOf).join("/");
}

/** @throws InvalidRequestError when a key could lead out of its place, or be two things */
export function checkFileKey(key: string): void {
  if (key.split("/").every((name) => NAME.test(name) && !name.endsWith("."))) return;
  const message =
    "must be names of letters, digits, _, -, ~ and inner dots, with / between them: see fileKey()";
  throw new InvalidRequestError([{ field: "key", message, value: key }]);
}

function nameOf(text: string): string {
  if (PLAIN.test(text) && !DEVICE.test(text)) return text;
  const shown = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, SHOWN_LENGTH);
  return `${shown}~${createHash("sha256").update(text).digest("hex").slice(0, HASH_LENGTH)}`;
}
