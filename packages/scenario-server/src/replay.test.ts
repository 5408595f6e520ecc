import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { CHAT_STREAMS } from "./chat-streams.js";
import { cutBytes, PACES, SINGLE_BYTES } from "./cut-bytes.js";
import { dataOf } from "./data-of.js";
import { IMAGE_STREAMS } from "./image-streams.js";
import { ENDINGS, FRAMINGS, type ReplayOptions, SCENARIOS, textsOf } from "./replay.js";
import { startScenarioServer } from "./scenario-server.js";
import { dataEvent, END_MARKER } from "./wire-event.js";

const EVENTS = [
  dataEvent({ text: "世界 🎬" }),
  { text: ": ping\r\n\r\n" },
  { ...dataEvent({ done: true }), finishes: true as const },
  END_MARKER,
];

interface Seen {
  head: string;
  /** Body without its chunk sizes. */
  body: string;
  /** Sizes of the body's chunks. */
  chunks: number[];
  /** Whether the last chunk told the end of the body. */
  whole: boolean;
  end: "fin" | "rst" | "open";
}

/** What a client without any HTTP of its own sees. */
async function look(options: Partial<ReplayOptions>): Promise<Seen> {
  const server = await startScenarioServer();
  onTestFinished(() => server.close());
  server.replay({ events: EVENTS, ...options });
  const { port } = new URL(server.url);
  const received: Buffer[] = [];
  const end = await new Promise<Seen["end"]>((resolve) => {
    const socket = connect(Number(port), "127.0.0.1", () =>
      socket.write("POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}"),
    );
    socket.on("data", (data) => {
      received.push(data);
      if (Buffer.concat(received).toString("latin1").endsWith("\r\n0\r\n\r\n")) resolve("open");
    });
    socket.on("end", () => resolve("fin"));
    socket.on("error", () => resolve("rst"));
    onTestFinished(() => void socket.destroy());
  });
  const bytes = Buffer.concat(received);
  const headEnd = bytes.indexOf("\r\n\r\n") + 4;
  const head = bytes.subarray(0, headEnd).toString("latin1").toLowerCase();
  let rest = bytes.subarray(headEnd);
  if (!head.includes("transfer-encoding: chunked")) {
    return { head, body: rest.toString("utf8"), chunks: [], whole: false, end };
  }
  const pieces: Buffer[] = [];
  for (;;) {
    const line = rest.indexOf("\r\n");
    const size = line === -1 ? Number.NaN : Number.parseInt(rest.subarray(0, line).toString("latin1"), 16);
    if (!(size > 0)) {
      const chunks = pieces.map(({ length }) => length);
      return { head, body: Buffer.concat(pieces).toString("utf8"), chunks, whole: size === 0, end };
    }
    pieces.push(rest.subarray(line + 2, line + 2 + size));
    rest = rest.subarray(line + 2 + size + 2);
  }
}

const WHOLE = EVENTS.map(({ text }) => text).join("");
const FINISH = EVENTS[2]?.text ?? "";
const BEFORE = WHOLE.slice(0, WHOLE.indexOf(FINISH));
const BODIES = {
  proper: WHOLE,
  "no-marker": WHOLE.replace(END_MARKER.text, ""),
  "no-finish": WHOLE.replace(FINISH, ""),
  fin: BEFORE + FINISH.slice(0, FINISH.length >> 1),
  rst: BEFORE + FINISH.slice(0, FINISH.length >> 1),
};

describe("a replay", () => {
  it.each(SCENARIOS)("at pace %s with ending %s sends what it says", async (pace, ending) => {
    const seen = await look({ pace, ending });
    expect(seen.body).toBe(BODIES[ending]);
    const cut = ending === "fin" || ending === "rst";
    expect(seen).toMatchObject({ whole: !cut, end: cut ? ending : "open" });
    if (pace === "events") expect(seen.chunks).toHaveLength(textsOf(EVENTS, ending).length);
    if (pace === "bytes") expect(new Set(seen.chunks)).toEqual(new Set([1]));
    if (pace === "whole") expect(seen.chunks).toHaveLength(1);
  });

  it.each(FRAMINGS)("framed as %s ends by FIN or RST where the connection ends the body", async (framing) => {
    const proper = await look({ framing });
    expect(proper.body).toBe(WHOLE);
    expect(proper.whole).toBe(framing !== "close");
    expect(proper.head.includes("connection: close")).toBe(framing !== "chunked");
    expect(await look({ framing, ending: "fin" })).toMatchObject({
      body: BODIES.fin,
      whole: false,
      end: "fin",
    });
    expect(await look({ framing, ending: "rst" })).toMatchObject({
      body: BODIES.rst,
      whole: false,
      end: "rst",
    });
  });

  it("refuses to end without a finish what never finishes", () => {
    expect(() => textsOf([END_MARKER], "fin")).toThrow("Nothing finishes");
  });
});

describe("pieces", () => {
  it.each(PACES)("at pace %s joined are the stream", (pace) => {
    const texts = [...CHAT_STREAMS, ...IMAGE_STREAMS].flatMap(({ events }) => textsOf(events, "proper"));
    for (const seed of [1, 2, 3]) {
      expect(Buffer.concat(cutBytes(texts, pace, seed)).toString("utf8")).toBe(texts.join(""));
    }
  });

  it("are the same for a seed, and others for another", () => {
    const sizes = (seed: number) => cutBytes([WHOLE], "cuts", seed).map(({ length }) => length);
    expect(sizes(1)).toEqual(sizes(1));
    expect(sizes(1)).not.toEqual(sizes(2));
  });

  it("of random cuts end inside characters and between CR and LF", () => {
    const pieces = cutBytes([WHOLE.repeat(20)], "cuts", 1);
    const starts = pieces.map(([first = 0]) => first);
    expect(starts.some((byte) => (byte & 0xc0) === 0x80)).toBe(true);
    expect(pieces.some((piece, index) => piece.at(-1) === 13 && starts[index + 1] === 10)).toBe(true);
  });

  it("of single bytes are bounded", () => {
    expect(cutBytes(["x".repeat(10_000)], "bytes")).toHaveLength(SINGLE_BYTES + 1);
  });

  it("of single bytes may come at the end alone", () => {
    const lengths = cutBytes([WHOLE.repeat(20)], "bytes", 1, 5).map(({ length }) => length);
    const { length } = new TextEncoder().encode(WHOLE.repeat(20));
    expect(lengths).toEqual([length - 5, 1, 1, 1, 1, 1]);
    expect(cutBytes(["abc"], "bytes", 1, 5)).toHaveLength(3);
  });

  it("of single bytes take every stream apart but the long one", () => {
    const rest = [...CHAT_STREAMS, ...IMAGE_STREAMS].filter(({ events }) => {
      return cutBytes(textsOf(events, "proper"), "bytes").some(({ length }) => length > 1);
    });
    expect(rest.map(({ name }) => name)).toEqual(["one long event"]);
  });
});

describe("the JSON of events", () => {
  it("is what a reader is given: no comment, no marker, no error, no half event", () => {
    expect(dataOf(EVENTS, "proper")).toEqual([{ text: "世界 🎬" }, { done: true }]);
    expect(dataOf(EVENTS, "no-finish")).toEqual([{ text: "世界 🎬" }]);
    expect(dataOf(EVENTS, "rst")).toEqual([{ text: "世界 🎬" }]);
    const failing = { ...dataEvent({ error: "x" }), error: true as const };
    const lines = { text: "\ufeffevent: message\r\ndata:{\r\ndata: }\r\n\r\n" };
    expect(dataOf([lines, failing], "proper")).toEqual([{}]);
  });
});

describe("the streams", () => {
  it.each([...CHAT_STREAMS, ...IMAGE_STREAMS])("$name can end in every way", ({ events }) => {
    const bodies = ENDINGS.map((ending) => textsOf(events, ending).join(""));
    // Where a family sends no marker there is none to leave out.
    const marked = events.some(({ marker }) => marker);
    expect(new Set(bodies).size).toBe(marked ? 4 : 3);
    expect(bodies[2]).not.toContain('"finish_reason":"stop"');
  });

  it("have names of their own", () => {
    const names = [...CHAT_STREAMS, ...IMAGE_STREAMS].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});
