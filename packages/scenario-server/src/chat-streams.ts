import { dataEvent, dataText, END_MARKER, type WireEvent, withLineEnds } from "./wire-event.js";

/** A streamed chat answer as some route sends it, and what it says. */
export interface ChatStream {
  name: string;
  /** With the end marker; `ENDINGS` take it and the finish away. */
  events: readonly WireEvent[];
  means: ChatMeaning;
}

/** What a reader must have understood of a stream that ended properly. */
export interface ChatMeaning {
  /** Text of the first choice, `""` when there is none. */
  text: string;
  reasoning?: string;
  refusal?: string;
  /** In order, dense; `arguments` is the parsed JSON. */
  toolCalls?: ReadonlyArray<{ id?: string; name: string; arguments: Record<string, unknown> }>;
  /** Of the first choice; absent where the stream reports an error. */
  finishReason?: string;
  usage?: Record<string, unknown>;
  /** Text of the second choice. */
  secondText?: string;
  /** Further fields that must reach the caller, of the message and of the choice. */
  message?: Record<string, unknown>;
  choice?: Record<string, unknown>;
  /** Head fields: the first value that is not empty counts. Default `HEAD`. */
  head?: Record<string, unknown>;
  /** The error that the stream reports; `status` is what it means. `text` is what came before it. */
  error?: { message: string; code?: string; status: number };
}

/** Head fields of every stream here that says nothing else. */
export const HEAD = { id: "c1", object: "chat.completion.chunk", created: 1, model: "m" } as const;

type Fields = Record<string, unknown>;

/** A chunk with one choice; `choice` and `chunk` add or replace fields. */
function delta(fields: Fields, choice: Fields = {}, chunk: Fields = {}): WireEvent {
  const choices = [{ index: 0, delta: fields, finish_reason: null, ...choice }];
  return dataEvent({ ...HEAD, choices, ...chunk });
}

const text = (content: string) => delta({ content });

/** The chunk that finishes; without the finish nothing of it is left unless it also carries content. */
function finish(reason = "stop", fields: Fields = {}, choice: Fields = {}, chunk: Fields = {}): WireEvent {
  const event = delta(fields, { finish_reason: reason, ...choice }, chunk);
  const carries = Object.keys(fields).length > 0;
  return {
    ...event,
    finishes: true,
    ...(carries ? { unfinished: delta(fields, { finish_reason: null, ...choice }, chunk).text } : {}),
  };
}

function tool(...fragments: Fields[]): WireEvent {
  return delta({ tool_calls: fragments });
}

/** A fragment of a tool call; undefined fields are left out by JSON. */
function fragment(index: unknown, id: unknown, name: unknown, args: unknown, extra: Fields = {}): Fields {
  const called = { name, arguments: args };
  return { index, id, ...(id === undefined ? {} : { type: "function" }), function: called, ...extra };
}

function usage(prompt: number, completion: number): Fields {
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

function comment(words: string): WireEvent {
  return { text: `: ${words}\n\n` };
}

/** An event that reports an error: nothing comes after it but the marker. */
function errorEvent(data: unknown): WireEvent {
  return { ...dataEvent(data), finishes: true, error: true };
}

const PARIS = { id: "call_a", name: "weather", arguments: { city: "Paris" } };
const TIME = { id: "call_b", name: "time", arguments: { zone: "CET" } };

/** A dialect of tool calls: chunks of fragments. */
function tools(name: string, means: ChatMeaning["toolCalls"], ...chunks: Fields[][]): ChatStream {
  const events = [...chunks.map((fragments) => tool(...fragments)), finish("tool_calls"), END_MARKER];
  return {
    name: `tool calls ${name}`,
    events,
    means: { text: "", toolCalls: means, finishReason: "tool_calls" },
  };
}

const TEXTS: ChatStream[] = [
  {
    name: "text",
    events: [delta({ role: "assistant", content: "" }), text("Hel"), text("lo."), finish(), END_MARKER],
    means: { text: "Hello.", finishReason: "stop" },
  },
  {
    name: "text in many scripts",
    events: [
      text("世界 "),
      text("🎬👩‍👩‍👧"),
      text(" مرحبا é"),
      text(" \u2028\u0000\ufeff"),
      finish(),
      END_MARKER,
    ],
    means: { text: "世界 🎬👩‍👩‍👧 مرحبا é \u2028\u0000\ufeff", finishReason: "stop" },
  },
  {
    name: "an emoji whose halves come apart as escapes",
    events: [text("\ud83c"), text("\udfac"), finish(), END_MARKER],
    means: { text: "🎬", finishReason: "stop" },
  },
  {
    name: "last text and finish in one event",
    events: [text("a"), finish("length", { content: "b" }), END_MARKER],
    means: { text: "ab", finishReason: "length" },
  },
  {
    name: "empty and missing deltas",
    events: [
      delta({ role: "assistant", content: null }),
      delta({}),
      dataEvent({ ...HEAD, choices: [{ index: 0, finish_reason: null }] }),
      dataEvent({ ...HEAD, choices: [] }),
      dataEvent({ ...HEAD, choices: null }),
      text("a"),
      delta({ content: null, tool_calls: null, refusal: null }),
      text("b"),
      finish(),
      END_MARKER,
    ],
    means: { text: "ab", finishReason: "stop" },
  },
  {
    name: "one long event",
    events: [text("0123456789abcdéf".repeat(2_000)), finish(), END_MARKER],
    means: { text: "0123456789abcdéf".repeat(2_000), finishReason: "stop" },
  },
  {
    name: "think tags cut into pieces",
    events: [text("<th"), text("ink>why</"), text("think>\n\nso"), finish(), END_MARKER],
    means: { text: "<think>why</think>\n\nso", finishReason: "stop" },
  },
  {
    name: "two choices",
    events: [
      text("a"),
      delta({ content: "x" }, { index: 1 }),
      text("b"),
      delta({ content: "y" }, { index: 1 }),
      finish(),
      finish("stop", {}, { index: 1 }),
      END_MARKER,
    ],
    means: { text: "ab", secondText: "xy", finishReason: "stop" },
  },
];

const REASONING: ChatStream[] = [
  {
    name: "reasoning_content before the text",
    events: [
      delta({ reasoning_content: "Let me " }),
      delta({ reasoning_content: "see." }),
      text("42"),
      finish(),
      END_MARKER,
    ],
    means: { text: "42", reasoning: "Let me see.", finishReason: "stop" },
  },
  {
    name: "reasoning and its details",
    events: [
      delta({
        content: "",
        reasoning: "Let ",
        reasoning_details: [{ type: "reasoning.text", index: 0, text: "Let " }],
      }),
      delta({
        content: "",
        reasoning: "me.",
        reasoning_details: [{ type: "reasoning.text", index: 0, text: "me." }],
      }),
      delta({ content: "", reasoning_details: [{ type: "reasoning.encrypted", index: 1, data: "gAAA" }] }),
      text("42"),
      finish(),
      END_MARKER,
    ],
    means: { text: "42", reasoning: "Let me.", finishReason: "stop" },
  },
  {
    name: "thinking as content parts",
    events: [
      delta({ content: [{ type: "thinking", thinking: [{ type: "text", text: "Let " }] }] }),
      delta({ content: [{ type: "thinking", thinking: [{ type: "text", text: "me." }] }] }),
      delta({ content: [{ type: "text", text: "4" }] }),
      text("2"),
      finish(),
      END_MARKER,
    ],
    means: { text: "42", reasoning: "Let me.", finishReason: "stop" },
  },
];

const TOOLS: ChatStream[] = [
  tools(
    "in parallel, their fragments mixed",
    [PARIS, TIME],
    [fragment(0, "call_a", "weather", "")],
    [fragment(1, "call_b", "time", "")],
    [fragment(0, undefined, undefined, '{"city":')],
    [fragment(1, undefined, undefined, '{"zone":'), fragment(0, undefined, undefined, '"Paris"}')],
    [fragment(1, undefined, undefined, '"CET"}')],
  ),
  tools(
    "without an index",
    [PARIS, TIME],
    [fragment(undefined, "call_a", "weather", '{"city":')],
    [fragment(undefined, undefined, undefined, '"Paris"}')],
    [fragment(undefined, "call_b", "time", '{"zone":"CET"}')],
  ),
  tools(
    "all numbered 0",
    [PARIS, TIME],
    [fragment(0, "call_a", "weather", '{"city":')],
    [fragment(0, undefined, undefined, '"Paris"}')],
    [fragment(0, "call_b", "time", '{"zone":"CET"}')],
  ),
  tools(
    "numbered from 1",
    [PARIS, TIME],
    [fragment(1, "call_a", "weather", '{"city":"Paris"}')],
    [fragment(2, "call_b", "time", '{"zone":"CET"}')],
  ),
  tools(
    "numbered by text",
    [PARIS],
    [fragment("0", "call_a", "weather", '{"city":')],
    [fragment("0", undefined, undefined, '"Paris"}')],
  ),
  tools("with an object for arguments", [PARIS], [fragment(0, "call_a", "weather", { city: "Paris" })]),
  tools(
    "without arguments",
    [{ id: "call_a", name: "now", arguments: {} }],
    [{ index: 0, id: "call_a", type: "function", function: { name: "now" } }],
  ),
  tools(
    "with null and empty ids and names later",
    [PARIS],
    [fragment(0, "call_a", "weather", null)],
    [fragment(0, null, null, '{"city":')],
    [fragment(0, "", "", '"Paris"}')],
  ),
  tools(
    "whose name and id come with every fragment",
    [PARIS],
    [fragment(0, "call_a", "weather", '{"city":')],
    [fragment(0, "call_a", "weather", '"Paris"')],
    [fragment(0, "call_a", "weather", "}")],
  ),
  tools(
    "with a new id for every fragment",
    [PARIS],
    [fragment(0, "call_a", "weather", '{"city":')],
    [fragment(0, "call_x", undefined, '"Paris"')],
    [fragment(0, "call_y", undefined, "}")],
  ),
  tools(
    "with fields of their own",
    [PARIS],
    [
      fragment(0, "call_a", "weather", '{"city":"Paris"}', {
        extra_content: { google: { thought_signature: "c2ln" } },
      }),
    ],
  ),
  {
    name: "tool calls after text, whole, in the event that finishes",
    events: [
      text("One moment."),
      finish("tool_calls", { tool_calls: [fragment(0, "call_a", "weather", '{"city":"Paris"}')] }),
      END_MARKER,
    ],
    means: { text: "One moment.", toolCalls: [PARIS], finishReason: "tool_calls" },
  },
];

const FIELDS: ChatStream[] = [
  {
    name: "a refusal",
    events: [
      delta({ role: "assistant", refusal: "I can’t " }),
      delta({ refusal: "do that." }),
      finish(),
      END_MARKER,
    ],
    means: { text: "", refusal: "I can’t do that.", finishReason: "stop" },
  },
  {
    name: "a filtered answer",
    events: [text("Well"), finish("content_filter"), END_MARKER],
    means: { text: "Well", finishReason: "content_filter" },
  },
  {
    name: "images beside the text",
    events: [
      text("Here."),
      delta({
        images: [{ type: "image_url", index: 0, image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } }],
      }),
      finish(),
      END_MARKER,
    ],
    means: {
      text: "Here.",
      finishReason: "stop",
      message: { images: [{ image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } }] },
    },
  },
  {
    name: "log-probabilities",
    events: [
      delta(
        { content: "Hi" },
        { logprobs: { content: [{ token: "Hi", logprob: -0.1, bytes: [72, 105], top_logprobs: [] }] } },
      ),
      delta(
        { content: "!" },
        { logprobs: { content: [{ token: "!", logprob: -0.2, bytes: [33], top_logprobs: [] }] } },
      ),
      finish("stop", {}, { logprobs: null }),
      END_MARKER,
    ],
    means: { text: "Hi!", finishReason: "stop" },
  },
  {
    name: "annotations",
    events: [
      text("See here."),
      delta({
        annotations: [
          {
            type: "url_citation",
            url_citation: { url: "https://a.example/", title: "A", start_index: 0, end_index: 9 },
          },
        ],
      }),
      finish(),
      END_MARKER,
    ],
    means: {
      text: "See here.",
      finishReason: "stop",
      message: { annotations: [{ type: "url_citation", url_citation: { url: "https://a.example/" } }] },
    },
  },
];

const HEADS: ChatStream[] = [
  {
    name: "usage in a last chunk of its own",
    events: [text("a"), finish(), dataEvent({ ...HEAD, choices: [], usage: usage(3, 1) }), END_MARKER],
    means: { text: "a", finishReason: "stop", usage: usage(3, 1) },
  },
  {
    name: "usage so far in every chunk",
    events: [
      delta({ content: "a" }, {}, { usage: usage(3, 1) }),
      delta({ content: "b" }, {}, { usage: usage(3, 2) }),
      finish("stop", {}, {}, { usage: usage(3, 2) }),
      END_MARKER,
    ],
    means: { text: "ab", finishReason: "stop", usage: usage(3, 2) },
  },
  {
    name: "usage null until the end, in a chunk without choices",
    events: [
      delta({ content: "a" }, {}, { usage: null }),
      finish("stop", {}, {}, { usage: null }),
      dataEvent({ ...HEAD, usage: usage(3, 1) }),
      END_MARKER,
    ],
    means: { text: "a", finishReason: "stop", usage: usage(3, 1) },
  },
  {
    name: "a first chunk with empty head fields",
    events: [
      dataEvent({
        id: "",
        object: "",
        created: 0,
        model: "",
        choices: [],
        prompt_filter_results: [{ prompt_index: 0 }],
      }),
      delta({ content: "a" }, {}, { system_fingerprint: "fp_1", service_tier: "default" }),
      finish(),
      END_MARKER,
    ],
    means: {
      text: "a",
      finishReason: "stop",
      head: { id: "c1", model: "m", created: 1, system_fingerprint: "fp_1", service_tier: "default" },
    },
  },
];

const [PLAIN] = TEXTS as [ChatStream];

const SEVERAL_LINES: ChatStream = {
  name: "JSON over several lines",
  events: [
    {
      text: `${JSON.stringify({ ...HEAD, choices: [{ index: 0, delta: { content: "a" } }] }, null, 1).replace(/^/gm, "data: ")}\n\n`,
    },
    finish(),
    END_MARKER,
  ],
  means: { text: "a", finishReason: "stop" },
};

const FORMS: ChatStream[] = [
  {
    name: "comments that keep the connection alive",
    events: [
      comment("PROCESSING"),
      text("a"),
      { text: ":\n\n" },
      comment("ping"),
      text("b"),
      finish(),
      comment("bye"),
      END_MARKER,
    ],
    means: { text: "ab", finishReason: "stop" },
  },
  { ...PLAIN, name: "lines that end in CRLF", events: withLineEnds(PLAIN.events, "\r\n") },
  { ...PLAIN, name: "lines that end in CR", events: withLineEnds(PLAIN.events, "\r") },
  {
    ...PLAIN,
    name: "a byte order mark, names, numbers and no space after the colon",
    events: PLAIN.events.map((event, index) => {
      const dress = (words: string) =>
        `event: message\nid: ${index}\nretry: 10\n${words.replace("data: ", "data:")}`;
      const dressed = dress(event.text);
      return { ...event, text: index === 0 ? `\ufeff${dressed}` : dressed };
    }),
  },
  SEVERAL_LINES,
  {
    ...SEVERAL_LINES,
    name: "JSON over several lines that end in CRLF",
    events: withLineEnds(SEVERAL_LINES.events, "\r\n"),
  },
];

const OVERLOADED = { message: "The model is overloaded.", type: "upstream_error", code: 503 };
const REPORTED = { message: OVERLOADED.message, code: "503", status: 503 };

/** A stream that reports an error after its first text. */
function failing(name: string, data: unknown, error: ChatMeaning["error"] = REPORTED): ChatStream {
  return {
    name: `an error inside the stream: ${name}`,
    events: [text("a"), errorEvent(data), END_MARKER],
    means: { text: "a", error },
  };
}

const ERRORS: ChatStream[] = [
  failing("the documented body", { error: OVERLOADED }),
  failing("with the id of the answer", { ...HEAD, error: OVERLOADED }),
  failing("with empty choices", { ...HEAD, choices: [], error: OVERLOADED }),
  failing("with a choice that finishes by error", {
    ...HEAD,
    error: OVERLOADED,
    choices: [{ index: 0, delta: { content: "" }, finish_reason: "error", native_finish_reason: "error" }],
  }),
  failing("in the choice", {
    ...HEAD,
    choices: [{ index: 0, delta: { content: "" }, finish_reason: "error", error: OVERLOADED }],
  }),
  failing("code and message, no data", { code: 503, message: OVERLOADED.message, data: null }),
  failing(
    "too many requests",
    { error: { message: "Slow down.", type: "rate_limit_error", code: "rate_limit_exceeded" } },
    { message: "Slow down.", code: "rate_limit_exceeded", status: 429 },
  ),
  {
    name: "an error inside the stream: an event of that name",
    events: [
      text("a"),
      { text: `event: error\n${dataText({ error: OVERLOADED })}`, finishes: true, error: true },
      END_MARKER,
    ],
    means: { text: "a", error: REPORTED },
  },
];

/** Chat streams as routes have been seen to send them. */
export const CHAT_STREAMS: readonly ChatStream[] = [
  ...TEXTS,
  ...REASONING,
  ...TOOLS,
  ...FIELDS,
  ...HEADS,
  ...FORMS,
  ...ERRORS,
];
