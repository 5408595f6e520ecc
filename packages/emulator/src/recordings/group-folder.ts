import { createHash } from "node:crypto";

const LONGEST = 60;

/** The folder of a group of recordings, such as those of one test: readable, and another for each name. */
export function groupFolder(name: string | null): string {
  if (name === null) return "";
  const words = slug(name);
  return words === name ? name : `${words}-${createHash("sha256").update(name).digest("hex").slice(0, 8)}`;
}

/** A text as part of the name of a file, on whatever system. */
export function slug(text: string): string {
  const words = text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
  return words.join("-").slice(0, LONGEST) || "x";
}
