import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";

/** A status with the colour of what it means. */
export function Status({ status }: { status: number | string | null }) {
  const kind =
    status === null
      ? "bad"
      : typeof status === "number"
        ? status < 300
          ? "good"
          : status < 500
            ? "warn"
            : "bad"
        : (WORDS[status] ?? "calm");
  return <span class={`status ${kind}`}>{status ?? "dropped"}</span>;
}

const WORDS: Record<string, string> = {
  succeeded: "good",
  succeed: "good",
  delivered: "good",
  failed: "bad",
  expired: "bad",
  running: "warn",
  processing: "warn",
};

/** What went wrong, told at once to those who do not see it. */
export function Problem({ text }: { text: string | undefined }) {
  return text === undefined ? null : (
    <p class="problem" role="alert">
      {text}
    </p>
  );
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

/** A part of a page with a heading of its own. */
export function Section({
  title,
  children,
  aside,
}: {
  title: string;
  children: ComponentChildren;
  aside?: ComponentChildren;
}) {
  return (
    <section aria-label={title}>
      <header class="section-head">
        <h2>{title}</h2>
        <div class="aside">{aside}</div>
      </header>
      {children}
    </section>
  );
}

/** A table that scrolls by itself where the page is narrow. */
export function Table({
  label,
  head,
  children,
}: {
  label: string;
  head: string[];
  children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard.
    <section class="scroll" tabIndex={0} aria-label={`${label}, scrolls`}>
      <table aria-label={label}>
        <thead>
          <tr>
            {head.map((text) => (
              <th key={text} scope="col">
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

/** An input and its name. */
export function Input({
  label,
  value,
  onValue,
  ...rest
}: { label: string; value: string; onValue: (value: string) => void } & Record<string, unknown>) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} value={value} onInput={({ currentTarget }) => onValue(currentTarget.value)} {...rest} />
    </div>
  );
}

/** A choice and its name. */
export function Select({
  label,
  value,
  options,
  onValue,
}: {
  label: string;
  value: string;
  options: readonly (string | [value: string, text: string])[];
  onValue: (value: string) => void;
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
        {options.map((option) => {
          const [key, text] = typeof option === "string" ? [option, option] : option;
          return (
            <option key={key} value={key}>
              {text}
            </option>
          );
        })}
      </select>
    </div>
  );
}

/** JSON that folds. */
export function JSONTree({ value, name, open = 4 }: { value: unknown; name?: string; open?: number }) {
  const label = name === undefined ? null : <span class="name">{name}: </span>;
  if (typeof value !== "object" || value === null) {
    return (
      <div class="leaf">
        {label}
        <Leaf value={value} />
      </div>
    );
  }
  const entries = Object.entries(value);
  const isArray = Array.isArray(value);
  if (entries.length === 0) {
    return (
      <div class="leaf">
        {label}
        {isArray ? "[]" : "{}"}
      </div>
    );
  }
  return (
    <details class="tree" open={open > 0}>
      <summary>
        {label}
        <span class="dim">{isArray ? `[${entries.length}]` : `{${entries.length}}`}</span>
      </summary>
      {entries.map(([key, member]) => (
        <JSONTree key={key} name={key} value={member} open={open - 1} />
      ))}
    </details>
  );
}

const SHORT = 600;

function Leaf({ value }: { value: unknown }) {
  const [isWhole, setWhole] = useState(false);
  const text = JSON.stringify(value) ?? "undefined";
  if (text.length <= SHORT || isWhole) return <span class={`value ${typeof value}`}>{text}</span>;
  return (
    <span class="value string">
      {text.slice(0, SHORT)}
      <button type="button" class="link" onClick={() => setWhole(true)}>
        … {text.length - SHORT} more
      </button>
    </span>
  );
}

/** Puts a text where it can be pasted from. */
export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [isDone, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), 1_200);
  };
  return (
    <button type="button" class="quiet" onClick={() => void copy()}>
      {isDone ? "Copied" : label}
    </button>
  );
}
