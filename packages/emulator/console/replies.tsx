import { useState } from "preact/hooks";
import { control, list } from "./api.js";
import { Empty, JSONTree, Problem, Section } from "./parts.js";
import { useAction, useData } from "./use-data.js";

interface Reply {
  id: string;
  used: number;
}

const EXAMPLE = `{
  "when": { "text": "refund" },
  "reply": "Refunds take five days."
}`;

/** Scripted answers, and writing another. */
export function Replies() {
  const { data, error, reload } = useData(() => list<Reply>("/replies"));
  const [text, setText] = useState(EXAMPLE);
  const action = useAction();
  const add = (event: Event) => {
    event.preventDefault();
    void action.run(async () => {
      await control("/replies", "POST", JSON.parse(text));
      await reload();
    });
  };
  return (
    <Section title="Scripted answers">
      <Problem text={error} />
      {data?.length === 0 && <Empty>None: every call is answered by the emulator itself.</Empty>}
      <ul class="cards" aria-label="Scripted answers">
        {data?.map(({ id, used, ...rule }) => (
          <li key={id} class="card">
            <header>
              <b>{id}</b> <span class="dim">given {used} times</span>
              <button
                type="button"
                class="quiet"
                onClick={() => void action.run(() => control(`/replies/${id}`, "DELETE").then(reload))}
              >
                Remove
              </button>
            </header>
            <JSONTree value={rule} />
          </li>
        ))}
      </ul>
      <form aria-label="New scripted answer" onSubmit={add}>
        <textarea
          aria-label="Rule, as JSON"
          rows={6}
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <button type="submit" disabled={action.isBusy}>
          Add
        </button>
        <Problem text={action.error} />
      </form>
    </Section>
  );
}
