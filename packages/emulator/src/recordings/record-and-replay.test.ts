import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { EmulatorOptions } from "../index.js";
import { bearer, startEmulator } from "../testing/start-emulator.js";

const KEY = "sk-of-the-upstream-0123456789";

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "recordings-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, "calls");
}

/** An emulator that records what another one answers. */
async function recording(dir: string, options: EmulatorOptions = {}) {
  const behind = await startEmulator({ keys: [{ key: KEY, moderation: true }], ...options });
  const started = await startEmulator({
    upstream: { baseURL: behind.emulator.url, apiKey: KEY },
    record: { dir },
  });
  return { ...started, behind: behind.emulator };
}

describe("record and replay", () => {
  it("smoke", async () => {
    const dir = await newFolder();
    const talk = async ({ post, get, emulator }: Awaited<ReturnType<typeof startEmulator>>) => {
      const out: string[] = [];
      const add = async (response: Promise<Response>) => {
        const text = await (await response).text();
        out.push(text.replaceAll(new URL(emulator.url).origin, "ORIGIN"));
        return text;
      };
      await add(get("/models"));
      const messages = [{ role: "user", content: "What is 6 times 7?" }];
      await add(post("/chat/completions", { model: "local-chat", messages }));
      await add(post("/chat/completions", { model: "local-chat", messages, stream: true }));
      const text = await add(
        post("/images/generations", { model: "local-image", prompt: "a fox", size: "1024x1024" }),
      );
      const url = JSON.parse(text).data[0].url;
      out.push(
        Buffer.from(await (await fetch(url)).arrayBuffer())
          .toString("base64")
          .slice(0, 1000),
      );
      await add(
        post("/images/generations", { model: "local-image-b64", prompt: "a fox", size: "1024x1024" }),
      );
      return out;
    };
    const first = await recording(dir);
    const recorded = await talk(first);
    await first.emulator.close();
    await first.behind.close();
    for (const name of await readdir(dir)) {
      console.log(name);
      if (name.endsWith(".json")) console.log((await readFile(join(dir, name), "utf8")).slice(0, 1500));
    }
    const second = await startEmulator({ replay: { dir } });
    expect(await talk(second)).toEqual(recorded);
    console.log(second.emulator.recordings.list());
    console.log(
      await (
        await second.post("/chat/completions", {
          model: "local-chat",
          messages: [{ role: "user", content: "What is 6 times 8?" }],
        })
      ).text(),
    );
    void bearer;
  });
});
