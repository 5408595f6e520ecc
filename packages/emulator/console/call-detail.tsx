import { useEffect, useState } from "preact/hooks";
import type { StoredKey } from "../src/state/key-store.js";
import type { RecordedCall } from "../src/state/recorded-call.js";
import { control, list } from "./api.js";
import { AnswerView, TextView } from "./body-view.js";
import { bytes, dateOf, duration, messageOf, money, pretty } from "./format.js";
import { calls } from "./live-calls.js";
import { CopyButton, Problem, Status } from "./parts.js";
import { useAction } from "./use-data.js";

/** One call whole: why it was answered so, what came and what went. */
export function CallDetail({ id }: { id: string }) {
  const [call, setCall] = useState<RecordedCall>();
  const [error, setError] = useState<string>();
  const entry = calls.value.find((each) => each.id === id);
  useEffect(() => {
    control<RecordedCall>(`/journal/${id}`).then(setCall, (thrown) => setError(messageOf(thrown)));
  }, [entry?.status, entry?.complete]);
  const shown = entry ?? call?.entry;
  return (
    <section class="detail" aria-label="Call">
      <header class="section-head">
        <h2>
          {shown && <Status status={shown.status} />} {shown?.method} {shown?.path}
        </h2>
        <div class="aside">
          <a class="quiet" href="#/calls" aria-label="Close">
            ✕
          </a>
        </div>
      </header>
      <Problem text={error} />
      {shown && (
        <dl class="facts">
          <Fact name="Model" value={shown.model ?? "none"} />
          <Fact name="Key" value={shown.key ?? "none"} />
          <Fact name="Time" value={dateOf(shown.time)} />
          <Fact name="Took" value={shown.durationMs > 0 ? duration(shown.durationMs) : "under way"} />
          <Fact
            name="Cost"
            value={shown.units === undefined ? "none" : `${money(shown.units)} (${shown.units} units)`}
          />
          <Fact name="Request id" value={shown.id} />
        </dl>
      )}
      <Why
        lines={[...(shown?.why ?? []), ...(shown?.failure === undefined ? [] : [shown.failure])]}
        misses={shown?.misses ?? []}
      />
      {call && (
        <>
          <h3>Request</h3>
          <Headers headers={call.request.headers} />
          {call.request.form && <Form fields={call.request.form} />}
          {call.request.text !== undefined && <TextView text={call.request.text} />}
          <Resend call={call} />
          <h3>Response</h3>
          <Headers headers={call.response.headers} />
          <AnswerView call={call} />
        </>
      )}
    </section>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Why({ lines, misses }: { lines: string[]; misses: string[] }) {
  if (lines.length === 0 && misses.length === 0) return null;
  return (
    <>
      <h3>Why</h3>
      <ul class="why" aria-label="Why it was answered so">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
        {misses.map((line) => (
          <li key={line} class="dim">
            Not for it: {line}
          </li>
        ))}
      </ul>
    </>
  );
}

function Headers({ headers }: { headers: Record<string, string> }) {
  const entries = Object.entries(headers);
  return (
    <details class="headers">
      <summary>{entries.length} headers</summary>
      <pre>{entries.map(([name, value]) => `${name}: ${value}`).join("\n")}</pre>
    </details>
  );
}

function Form({ fields }: { fields: NonNullable<RecordedCall["request"]["form"]> }) {
  return (
    <dl class="facts">
      {fields.map(({ name, text, file }) => (
        <Fact
          key={`${name} ${text}`}
          name={name}
          value={file ? `${file.name}, ${file.type}, ${bytes(file.size)}` : (text ?? "")}
        />
      ))}
    </dl>
  );
}

/** The same once more, or another like it: its answer is a call of its own. */
function Resend({ call }: { call: RecordedCall }) {
  const [text, setText] = useState(() => pretty(call.request.text ?? ""));
  const { error, isBusy, run } = useAction();
  const isGet = call.entry.method === "GET";
  if (!isGet && call.request.text === undefined) return null;
  const send = () =>
    run(async () => {
      const { pathname, search } = new URL(call.url);
      const response = await fetch(pathname + search, {
        method: call.entry.method,
        headers: { "content-type": "application/json", ...(await authorization(call.entry.key)) },
        ...(!isGet && { body: text }),
      });
      const id = response.headers.get("x-request-id");
      await response.arrayBuffer();
      if (id !== null) location.hash = `#/calls/${id}`;
    });
  return (
    <details class="resend">
      <summary>Edit and send again</summary>
      {!isGet && (
        <textarea
          aria-label="Body to send"
          rows={10}
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      )}
      <div class="bar">
        <button type="button" disabled={isBusy} onClick={() => void send()}>
          Send
        </button>
        <CopyButton text={curlOf(call, text)} label="Copy as curl" />
      </div>
      <Problem text={error} />
    </details>
  );
}

/** The journal knows a key only by its end: the first that ends so, or the first there is. */
async function authorization(shown: string | null): Promise<Record<string, string>> {
  if (shown === null) return {};
  const keys = await list<StoredKey>("/keys");
  const found =
    keys.find(({ key }) => key.length >= 12 && key.endsWith(shown.slice("sk-…".length))) ?? keys[0];
  return found ? { authorization: `Bearer ${found.key}` } : {};
}

function curlOf({ url, entry }: RecordedCall, text: string): string {
  const quoted = (value: string) => `'${value.replaceAll("'", `'\\''`)}'`;
  const body = entry.method === "GET" ? "" : ` \\\n  --json ${quoted(text)}`;
  return `curl ${quoted(url)} \\\n  -H "Authorization: Bearer $MODEL_GATEWAY_API_KEY"${body}`;
}
