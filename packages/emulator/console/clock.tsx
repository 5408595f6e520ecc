import { useState } from "preact/hooks";
import { control } from "./api.js";
import { dateOf } from "./format.js";
import { Input, Problem, Section } from "./parts.js";
import { useAction, useData } from "./use-data.js";

interface Time {
  now: number;
  nextAt: number | null;
}

const JUMPS: [text: string, ms: number][] = [
  ["10 seconds", 10_000],
  ["1 minute", 60_000],
  ["1 hour", 3_600_000],
  ["1 day", 86_400_000],
];

/** The clock: where it stands, and moving it. */
export function Clock() {
  const { data, error, reload } = useData(() => control<Time>("/clock"), { poll: true });
  const [seconds, setSeconds] = useState("");
  const action = useAction();
  const move = (body: object) => action.run(() => control("/clock", "POST", body).then(reload));
  return (
    <Section title="Clock">
      <Problem text={error ?? action.error} />
      <dl class="facts">
        <div>
          <dt>Now</dt>
          <dd>
            <output aria-label="Now">{data ? dateOf(data.now) : ""}</output>
          </dd>
        </div>
        <div>
          <dt>Something happens next</dt>
          <dd>{data?.nextAt ? dateOf(data.nextAt) : "when it is asked for"}</dd>
        </div>
      </dl>
      <div class="bar">
        <button
          type="button"
          disabled={action.isBusy || !data?.nextAt}
          onClick={() => void move({ next: true })}
        >
          To what happens next
        </button>
        {JUMPS.map(([text, ms]) => (
          <button
            key={text}
            type="button"
            class="quiet"
            disabled={action.isBusy}
            onClick={() => void move({ advanceMs: ms })}
          >
            + {text}
          </button>
        ))}
      </div>
      <form
        class="bar"
        aria-label="Advance"
        onSubmit={(event) => {
          event.preventDefault();
          void move({ advanceMs: Number(seconds) * 1_000 });
        }}
      >
        <Input label="Seconds" value={seconds} onValue={setSeconds} inputMode="decimal" />
        <button type="submit" disabled={action.isBusy || seconds === ""}>
          Advance
        </button>
      </form>
    </Section>
  );
}
