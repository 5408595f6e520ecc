import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { StoredKey } from "../src/state/key-store.js";
import type { ServedModel } from "../src/state/model-store.js";
import { list } from "./api.js";
import { Media } from "./body-view.js";
import { chunkOf, deltaOf } from "./chat-events.js";
import { masked } from "./format.js";
import { Input, Problem, Section, Select } from "./parts.js";
import { useAction, useData } from "./use-data.js";

const KINDS = ["Chat", "Image", "Speech", "Video"] as const;
type Kind = (typeof KINDS)[number];

/** What the forms share: with which key, and what there is. */
interface Props {
  send: (path: string, body: object) => Promise<Response>;
  models: (...serves: ServedModel["serves"][]) => string[];
}

/** Trying each endpoint by hand. */
export function Playground() {
  const [kind, setKind] = useState<Kind>("Chat");
  const [chosen, setKey] = useState<string>();
  const { data, error } = useData(async () => ({
    keys: await list<StoredKey>("/keys"),
    models: await list<ServedModel>("/models"),
  }));
  const key = chosen ?? data?.keys[0]?.key ?? "";
  const props: Props = {
    models: (...serves) =>
      (data?.models ?? []).filter((model) => serves.includes(model.serves)).map(({ id }) => id),
    send: async (path, body) => {
      const response = await fetch(`/v1${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      if (response.ok) return response;
      const answer = (await response.json()) as { error?: { message?: string } };
      throw new Error(answer.error?.message ?? `The gateway answered ${response.status}.`);
    },
  };
  return (
    <Section
      title="Playground"
      aside={
        <Select
          label="Key"
          value={key}
          options={(data?.keys ?? []).map((each): [string, string] => [
            each.key,
            `${masked(each.key)} (${each.group})`,
          ])}
          onValue={setKey}
        />
      }
    >
      <Problem text={error} />
      <div class="tabs" role="tablist" aria-label="What to make">
        {KINDS.map((each) => (
          <button
            key={each}
            type="button"
            role="tab"
            id={`tab-${each}`}
            aria-selected={each === kind}
            aria-controls="panel"
            onClick={() => setKind(each)}
          >
            {each}
          </button>
        ))}
      </div>
      <div id="panel" role="tabpanel" aria-labelledby={`tab-${kind}`}>
        {kind === "Chat" && <Chat {...props} />}
        {kind === "Image" && <Image {...props} />}
        {kind === "Speech" && <Speech {...props} />}
        {kind === "Video" && <Video {...props} />}
      </div>
    </Section>
  );
}

interface Message {
  role: "system" | "user" | "assistant";
  content: string;
}

function Chat({ send, models }: Props) {
  const [model, setModel] = useState("local-chat");
  const [system, setSystem] = useState("Context:\nOrders ship within two days.");
  const [text, setText] = useState("When do orders ship?");
  const messages = useSignal<Message[]>([]);
  const { error, isBusy, run } = useAction();
  const ask = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      const before = messages.value;
      const asked: Message[] = [...before, { role: "user", content: text }];
      messages.value = asked;
      setText("");
      const given: Message[] = system === "" ? asked : [{ role: "system", content: system }, ...asked];
      try {
        const response = await send("/chat/completions", { model, stream: true, messages: given });
        let said = "";
        for await (const delta of deltas(response)) {
          said += delta;
          messages.value = [...asked, { role: "assistant", content: said }];
        }
      } catch (thrown) {
        messages.value = before;
        setText(text);
        throw thrown;
      }
    });
  };
  return (
    <form onSubmit={ask} aria-label="Chat">
      <div class="bar">
        <Select label="Model" value={model} options={models("chat", "chat-image")} onValue={setModel} />
        <button type="button" class="quiet" onClick={() => (messages.value = [])}>
          Start over
        </button>
      </div>
      <label class="field wide">
        <span>System</span>
        <textarea rows={3} value={system} onInput={({ currentTarget }) => setSystem(currentTarget.value)} />
      </label>
      <ol class="conversation" aria-label="Conversation" aria-live="polite">
        {messages.value.map(({ role, content }, index) => (
          <li key={index} class={role}>
            <b>{role}</b>
            <p>{content}</p>
            <Media value={content} />
          </li>
        ))}
      </ol>
      <label class="field wide">
        <span>Message</span>
        <textarea rows={2} value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
      </label>
      <button type="submit" disabled={isBusy || text === ""}>
        Ask
      </button>
      <Problem text={error} />
    </form>
  );
}

/** A form that makes something of a text. */
function Maker({
  title,
  label,
  verb,
  text,
  onText,
  make,
  options,
  children,
}: {
  title: string;
  label: string;
  verb: string;
  text: string;
  onText: (text: string) => void;
  make: () => Promise<void>;
  options: ComponentChildren;
  children: ComponentChildren;
}) {
  const { error, isBusy, run } = useAction();
  const submit = (event: Event) => {
    event.preventDefault();
    void run(make);
  };
  return (
    <form onSubmit={submit} aria-label={title}>
      <div class="bar">{options}</div>
      <Input label={label} value={text} onValue={onText} />
      <button type="submit" disabled={isBusy || text === ""}>
        {verb}
      </button>
      <Problem text={error} />
      {children}
    </form>
  );
}

function Image({ send, models }: Props) {
  const [model, setModel] = useState("local-image");
  const [prompt, setPrompt] = useState("A red sailboat at sunset");
  const [size, setSize] = useState("1024x1024");
  const [answer, setAnswer] = useState<unknown>();
  const make = async () =>
    setAnswer(await (await send("/images/generations", { model, prompt, size })).json());
  const options = (
    <>
      <Select
        label="Model"
        value={model}
        options={models("reference-image", "base64-image")}
        onValue={setModel}
      />
      <Input label="Size" value={size} onValue={setSize} />
    </>
  );
  return (
    <Maker
      title="Image"
      label="Prompt"
      verb="Make it"
      text={prompt}
      onText={setPrompt}
      make={make}
      options={options}
    >
      <Media value={answer} />
    </Maker>
  );
}

function Speech({ send, models }: Props) {
  const [model, setModel] = useState("local-speech");
  const [voice, setVoice] = useState("alloy");
  const [input, setInput] = useState("Your order has shipped.");
  const [format, setFormat] = useState("mp3");
  const [source, setSource] = useState<string>();
  const make = async () => {
    const response = await send("/audio/speech", { model, voice, input, response_format: format });
    if (source !== undefined) URL.revokeObjectURL(source);
    setSource(URL.createObjectURL(await response.blob()));
  };
  const options = (
    <>
      <Select label="Model" value={model} options={models("speech")} onValue={setModel} />
      <Input label="Voice" value={voice} onValue={setVoice} />
      <Select
        label="Format"
        value={format}
        options={["mp3", "wav", "opus", "flac", "aac"]}
        onValue={setFormat}
      />
    </>
  );
  return (
    <Maker
      title="Speech"
      label="Text"
      verb="Speak"
      text={input}
      onText={setInput}
      make={make}
      options={options}
    >
      {/* biome-ignore lint/a11y/useMediaCaption: what it says stands above. */}
      {source !== undefined && <audio controls src={source} />}
    </Maker>
  );
}

function Video({ send, models }: Props) {
  const [model, setModel] = useState("local-video-2.0");
  const [prompt, setPrompt] = useState("A boat at dawn");
  const [seconds, setSeconds] = useState("5");
  const [id, setId] = useState<string>();
  const make = async () => {
    const content = [{ type: "text", text: prompt }];
    const body = { model, content, duration: Number(seconds), resolution: "480p" };
    setId(((await (await send("/videos", body)).json()) as { id: string }).id);
  };
  const options = (
    <>
      <Select label="Model" value={model} options={models("content-video")} onValue={setModel} />
      <Input label="Seconds" value={seconds} onValue={setSeconds} inputMode="numeric" />
    </>
  );
  return (
    <Maker
      title="Video"
      label="Prompt"
      verb="Make it"
      text={prompt}
      onText={setPrompt}
      make={make}
      options={options}
    >
      {id !== undefined && (
        <p role="status">
          The task <code>{id}</code> is under way: <a href="#/tasks">look at it</a>.
        </p>
      )}
    </Maker>
  );
}

/** What a stream of chat says, piece by piece. */
async function* deltas(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) return;
    const events = (rest + value).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      const chunk = chunkOf(event);
      if (chunk?.error) throw new Error(chunk.error.message);
      yield deltaOf(chunk);
    }
  }
}
