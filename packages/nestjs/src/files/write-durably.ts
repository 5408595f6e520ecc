import { open, rename } from "node:fs/promises";

/** Replaces a small file; whoever reads it sees the old text or the new one. Its name is durable with its folder. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const draft = `${path}.new`;
  const file = await open(draft, "w", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}
