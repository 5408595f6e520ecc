import { JournalVideoTaskStore } from "../../src/videos/journal/journal-video-task-store.js";

// Submits tasks until the store takes no more, and says why and how many it took.
const { directory } = JSON.parse(process.argv[2] ?? "") as { directory: string };
const body = {
  model: "some-video-model",
  content: [{ type: "text" as const, text: "A boat. ".repeat(100) }],
};

const store = new JournalVideoTaskStore({ directory, lockWaitMs: 0 });
await store.open({ ratePerSecond: 1, toEnd: async () => {}, once: async () => ({ failedPolls: 0 }) });
let count = 0;
try {
  for (;;) {
    await store.begin({ key: `task-${count}`, submission: { family: "content", body } });
    count += 1;
  }
} catch (error) {
  process.send?.({ error: String(error), count }, () => process.disconnect());
}
await store.stop();
await store.close();
