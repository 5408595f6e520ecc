import { Answer } from "../http/answer.js";
import type { JournalChange } from "../state/journal.js";
import type { ControlRoute } from "./control-exchange.js";

/** Proxies and browsers let go of what is silent. */
const KEEP_ALIVE_MS = 15_000;
/** A reader that is behind by more reads the list anew. */
const MOST_WAITING = 1_000;

/** `/api/events`: what happens to the journal, as it happens: `entry` with each change of one, `cleared`, `skipped`. */
export const eventRoutes: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/api/events",
    handle: ({ emulator }) => {
      const encoder = new TextEncoder();
      let end = () => {};
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          const write = (text: string) => controller.enqueue(encoder.encode(text));
          let skipped = false;
          const unsubscribe = emulator.journal.subscribe((change) => {
            if (change.type === "closed") {
              end();
              controller.close();
              return;
            }
            if ((controller.desiredSize ?? 0) < -MOST_WAITING) {
              if (!skipped) write("event: skipped\ndata: {}\n\n");
              skipped = true;
              return;
            }
            skipped = false;
            write(eventText(change));
          });
          const timer = setInterval(() => write(": keep-alive\n\n"), KEEP_ALIVE_MS);
          timer.unref();
          end = () => {
            clearInterval(timer);
            unsubscribe();
          };
          write(": open\n\n");
        },
        cancel: () => end(),
      });
      return new Answer(body, {
        headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" },
      });
    },
  },
];

function eventText(change: JournalChange): string {
  const data = change.type === "entry" ? change.entry : {};
  return `event: ${change.type}\ndata: ${JSON.stringify(data)}\n\n`;
}
