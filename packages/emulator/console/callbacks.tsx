import type { CallbackDelivery } from "../src/tasks/callback-log.js";
import { control, list } from "./api.js";
import { timeOf } from "./format.js";
import { Empty, JSONTree, Problem, Section, Status } from "./parts.js";
import { useAction, useData } from "./use-data.js";

/** Notifications of video tasks, and posting one again. */
export function Callbacks() {
  const { data, error, reload } = useData(() => list<CallbackDelivery>("/callbacks"), { poll: true });
  const action = useAction();
  return (
    <Section title="Callbacks">
      <Problem text={error ?? action.error} />
      {data?.length === 0 && <Empty>None yet: a video task with a callback_url makes them.</Empty>}
      <ul class="cards" aria-label="Callbacks, the newest first">
        {[...(data ?? [])].reverse().map(({ id, taskId, url, body, attempts, delivered }) => (
          <li key={id} class="card">
            <header>
              <Status status={delivered ? "delivered" : "failed"} />
              <b>{url}</b>
              <code class="dim">{taskId}</code>
              <button
                type="button"
                class="quiet"
                disabled={action.isBusy}
                onClick={() => void action.run(() => control(`/callbacks/${id}/resend`, "POST").then(reload))}
              >
                Send again
              </button>
            </header>
            <ol class="timeline" aria-label="Attempts">
              {attempts.map(({ time, status, error: reason }) => (
                <li key={time}>
                  <b>{status ?? reason}</b> <time>{timeOf(time)}</time>
                </li>
              ))}
            </ol>
            <details>
              <summary>Body</summary>
              <JSONTree value={body} />
            </details>
          </li>
        ))}
      </ul>
    </Section>
  );
}
