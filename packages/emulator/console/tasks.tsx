import { useState } from "preact/hooks";
import { control, list, ownFile } from "./api.js";
import { dateOf, timeOf } from "./format.js";
import { Empty, Input, JSONTree, Problem, Section, Status } from "./parts.js";
import { useAction, useData } from "./use-data.js";

/** A task of either wire form. */
interface Task {
  id: string;
  model?: string;
  status?: string;
  progress?: number;
  output?: { video_url: string };
  data?: { task_status: string; task_result: { videos?: { url: string }[] } };
}

interface Step {
  status: string;
  time: number;
}

/** Video tasks: where they stand, how they came there, their films, and ending them by hand. */
export function Tasks() {
  const { data, error, reload } = useData(() => list<Task>("/tasks"), { poll: true });
  return (
    <Section title="Video tasks">
      <Problem text={error} />
      {data?.length === 0 && <Empty>No video tasks yet. Make one in the playground.</Empty>}
      <ul class="cards" aria-label="Video tasks, the newest first">
        {[...(data ?? [])].reverse().map((task) => (
          <TaskCard key={task.id} task={task} onChange={reload} />
        ))}
      </ul>
    </Section>
  );
}

function TaskCard({ task, onChange }: { task: Task; onChange: () => Promise<void> }) {
  const [message, setMessage] = useState("");
  const { error, isBusy, run } = useAction();
  const status = task.status ?? task.data?.task_status ?? "";
  const isOpen = ["queued", "running", "submitted", "processing"].includes(status);
  const url = task.output?.video_url ?? task.data?.task_result.videos?.[0]?.url;
  const film = url === undefined ? undefined : ownFile(url);
  const steps = useData(() => list<Step>(`/tasks/${task.id}/timeline`), { poll: isOpen });
  const end = (how: "succeed" | "fail") =>
    run(async () => {
      await control(`/tasks/${task.id}/${how}`, "POST", how === "fail" && message !== "" ? { message } : {});
      await Promise.all([onChange(), steps.reload()]);
    });
  return (
    <li class="card">
      <header>
        <Status status={status} />
        <b>{task.model ?? "wrapped task"}</b>
        <code class="dim">{task.id}</code>
      </header>
      <ol class="timeline" aria-label="Timeline">
        {steps.data?.map((step) => (
          <li key={step.status + step.time}>
            <b>{step.status}</b> <time title={dateOf(step.time)}>{timeOf(step.time)}</time>
          </li>
        ))}
      </ol>
      {isOpen && task.progress !== undefined && (
        <progress aria-label="Progress" max={100} value={task.progress} />
      )}
      {/* biome-ignore lint/a11y/useMediaCaption: films of the emulator hold no speech. */}
      {film !== undefined && <video controls preload="metadata" src={film} />}
      {isOpen && (
        <div class="bar">
          <button type="button" disabled={isBusy} onClick={() => void end("succeed")}>
            Succeed
          </button>
          <button type="button" class="quiet" disabled={isBusy} onClick={() => void end("fail")}>
            Fail
          </button>
          <Input label="Message" value={message} onValue={setMessage} placeholder="why it fails" />
        </div>
      )}
      <Problem text={error} />
      <details>
        <summary>As its endpoint shows it</summary>
        <JSONTree value={task} />
      </details>
    </li>
  );
}
