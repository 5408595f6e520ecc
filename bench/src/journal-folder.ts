import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createWriteStream, existsSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { crc32 } from "node:zlib";

const output = join(dirname(fileURLToPath(import.meta.url)), "../output");

/** A folder with a journal of so many finished tasks, made when it is not there yet. */
export async function journalFolder(records: number): Promise<string> {
  const folder = join(output, `journal-${records}`);
  if (!existsSync(folder)) {
    const draft = `${folder}.${process.pid}`;
    await mkdir(draft, { recursive: true });
    await write(join(draft, "video-tasks.journal"), records);
    await rename(draft, folder);
  }
  return folder;
}

async function write(path: string, records: number): Promise<void> {
  const file = createWriteStream(path);
  let length = 0;
  for (let index = -1; index < records; index++) {
    const entry = index < 0 ? { format: "model-gateway video tasks", version: 1 } : finishedTask(index);
    const body = `${length} ${JSON.stringify(entry)}`;
    const line = Buffer.from(`${crc32(body).toString(16).padStart(8, "0")} ${body}\n`);
    length += line.length;
    if (!file.write(line)) await once(file, "drain");
  }
  file.end();
  await once(file, "close");
}

function finishedTask(index: number): object {
  const createdAt = 1_760_000_000_000 + index;
  const handle = { v: 1, family: "content", id: `cgt-20261122-${index}` };
  const url = `https://files.example.com/${handle.id}.mp4`;
  return {
    key: randomUUID(),
    submission: {
      family: "content",
      body: {
        model: "m",
        content: [{ type: "text", text: "A boat on a lake in the morning sun" }],
        duration: 5,
      },
    },
    status: "succeeded",
    version: 4,
    createdAt,
    updatedAt: createdAt + 60_000,
    handle,
    task: {
      handle,
      id: handle.id,
      family: "content",
      status: "succeeded",
      videos: [{ url }],
      raw: { id: handle.id, status: "succeeded", content: { video_url: url }, usage: { total_tokens: 9 } },
    },
    watchedSince: createdAt,
  };
}
