import { JournalVideoTaskStore } from "../../src/videos/journal/journal-video-task-store.js";

// Keeps tasks until it is told of another one, and says how each went.
const { directory } = JSON.parse(process.argv[2] ?? "") as { directory: string };

const store = new JournalVideoTaskStore({ directory, lockWaitMs: 0 });
await store.open({ ratePerSecond: 1, toEnd: async () => {}, once: async () => ({ failedPolls: 0 }) });
const begin = async (key: string) => {
  try {
    const body = { model: "some-video-model", content: [] };
    process.send?.({ begun: await store.begin({ key, submission: { family: "content", body } }) });
  } catch (error) {
    process.send?.({ error: String(error) });
  }
};
process.on("message", async ({ key }: { key?: string }) => {
  if (key !== undefined) return begin(key);
  process.send?.({ troubles: await store.troubles() }, () => process.exit());
});
await begin("first");
