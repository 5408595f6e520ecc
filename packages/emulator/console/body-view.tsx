import { useEffect, useState } from "preact/hooks";
import type { RecordedCall } from "../src/state/recorded-call.js";
import { answerURL, ownFile } from "./api.js";
import { chunkOf, deltaOf, parseJSON } from "./chat-events.js";
import { bytes, duration, messageOf } from "./format.js";
import { CopyButton, JSONTree, Problem } from "./parts.js";

/** A text that may be JSON: folded, or as it is; of chat first what it says. */
export function TextView({ text }: { text: string }) {
  const [isRaw, setRaw] = useState(false);
  const value = parseJSON(text);
  const said = (value as { choices?: Said[] } | undefined)?.choices?.[0]?.message?.content;
  return (
    <div class="body">
      {typeof said === "string" && <Says text={said} />}
      <div class="bar">
        <span class="dim">{bytes(new Blob([text]).size)}</span>
        {value !== undefined && (
          <button type="button" class="quiet" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
            Raw
          </button>
        )}
        <CopyButton text={text} />
      </div>
      {value === undefined || isRaw ? <pre>{text}</pre> : <JSONTree value={value} />}
      <Media value={value} />
    </div>
  );
}

/** The answer of a call, as what it is. */
export function AnswerView({ call }: { call: RecordedCall }) {
  const { response, entry } = call;
  const type = response.headers["content-type"] ?? "";
  if (call.dropped) return <p class="dim">Its bodies were forgotten to make room for later ones.</p>;
  if (response.size === 0) return <p class="dim">No body.</p>;
  return (
    <>
      <div class="bar">
        <span class="dim">{type}</span>
        <a href={answerURL(entry.id)} download={`${entry.id}`}>
          Download
        </a>
      </div>
      {response.events ? (
        <EventsView events={response.events} />
      ) : response.text !== undefined ? (
        <TextView text={response.text} />
      ) : type.startsWith("audio/") ? (
        // biome-ignore lint/a11y/useMediaCaption: what a voice of the emulator says stands in the request.
        <audio controls src={answerURL(entry.id)} />
      ) : type.startsWith("video/") ? (
        // biome-ignore lint/a11y/useMediaCaption: films of the emulator hold no speech.
        <video controls preload="metadata" src={answerURL(entry.id)} />
      ) : type.startsWith("image/") ? (
        <img alt="The answer" src={answerURL(entry.id)} />
      ) : (
        <HexView url={answerURL(entry.id)} />
      )}
    </>
  );
}

interface Said {
  message?: { content?: unknown };
}

function Says({ text }: { text: string }) {
  return (
    <blockquote aria-label="What it says">
      <p>{text}</p>
    </blockquote>
  );
}

/** Each event with when it was sent, and what the deltas of a chat come to. */
function EventsView({ events }: { events: { atMs: number; text: string }[] }) {
  const said = events.map(({ text }) => deltaOf(chunkOf(text))).join("");
  return (
    <>
      {said !== "" && <Says text={said} />}
      <ol class="events" aria-label="Events">
        {events.map(({ atMs, text }, index) => (
          <li key={index}>
            <time>{duration(atMs)}</time>
            <code>{text}</code>
          </li>
        ))}
      </ol>
      <Media value={events.map(({ text }) => chunkOf(text))} />
    </>
  );
}

/** Pictures, voices and films that a JSON value holds or names. */
export function Media({ value }: { value: unknown }) {
  const found = mediaIn(value);
  if (found.length === 0) return null;
  return (
    <div class="media">
      {found.map((source) =>
        /^data:video|\.mp4/.test(source) ? (
          // biome-ignore lint/a11y/useMediaCaption: films of the emulator hold no speech.
          <video key={source} controls preload="metadata" src={source} />
        ) : (
          <img key={source} alt="Made by this call" src={source} loading="lazy" />
        ),
      )}
    </div>
  );
}

const MOST_MEDIA = 16;
const FIRST_BYTES: Record<string, string> = { iVBOR: "image/png", "/9j/": "image/jpeg", UklGR: "image/webp" };

function mediaIn(value: unknown): string[] {
  const found = new Set<string>();
  const visit = (each: unknown): void => {
    if (found.size >= MOST_MEDIA) return;
    if (typeof each === "string") for (const source of sourcesOf(each)) found.add(source);
    else if (typeof each === "object" && each !== null)
      for (const member of Object.values(each)) visit(member);
  };
  visit(value);
  return [...found];
}

function sourcesOf(text: string): string[] {
  if (/^data:(?:image|video)\//.test(text)) return [text];
  const start = Object.keys(FIRST_BYTES).find((each) => text.startsWith(each));
  if (start !== undefined && text.length > 100) return [`data:${FIRST_BYTES[start]};base64,${text}`];
  return (text.match(/https?:\/\/[^\s)"'<>]+\/files\/[^\s)"'<>]+/g) ?? []).flatMap(
    (url) => ownFile(url) ?? [],
  );
}

const SHOWN_BYTES = 4_096;
const ROW = 16;

/** The first bytes of what is no text. */
function HexView({ url }: { url: string }) {
  const [rows, setRows] = useState<string>();
  const [error, setError] = useState<string>();
  useEffect(() => {
    const read = async () => {
      const content = new Uint8Array(await (await fetch(url)).arrayBuffer());
      setRows(hexRows(content.subarray(0, SHOWN_BYTES)) + (content.length > SHOWN_BYTES ? "\n…" : ""));
    };
    read().catch((thrown) => setError(messageOf(thrown)));
  }, [url]);
  return (
    <>
      <Problem text={error} />
      <pre class="hex">{rows ?? ""}</pre>
    </>
  );
}

function hexRows(content: Uint8Array): string {
  const rows: string[] = [];
  for (let at = 0; at < content.length; at += ROW) {
    const row = [...content.subarray(at, at + ROW)];
    const hex = row.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const text = row.map((byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : "·")).join("");
    rows.push(`${at.toString(16).padStart(6, "0")}  ${hex.padEnd(ROW * 3)} ${text}`);
  }
  return rows.join("\n");
}
