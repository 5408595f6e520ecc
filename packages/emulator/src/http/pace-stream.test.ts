import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEmulator, type Emulator, type EmulatorOptions } from "../index.js";
import { bearer, startEmulator } from "../testing/start-emulator.js";
import { STREAM_PACES, type StreamPace } from "./pace-stream.js";

const CHAT = {
  model: "local-chat",
  messages: [{ role: "user", content: "Repeat: Grüße, 世界 🎬!" }],
  stream: true,
};
const IMAGE = {
  model: "local-image-b64",
  prompt: "a fox",
  size: "1024x1024",
  stream: true,
  partial_images: 1,
};

function init(body: object): RequestInit {
  return {
    method: "POST",
    headers: { ...bearer("sk-emulator"), "content-type": "application/json" },
    body: JSON.stringify(body),
  };
}

/** The pieces that a reader without a port is given. */
async function piecesOf(emulator: Emulator, path: string, body: object): Promise<string[]> {
  const response = await emulator.fetch(emulator.url + path, init(body));
  const pieces: string[] = [];
  for await (const piece of response.body ?? []) pieces.push(Buffer.from(piece).toString("latin1"));
  return pieces;
}

/** The chunks of a body as they stand on the wire: one per write. */
async function writesOf(emulator: Emulator, path: string, body: object): Promise<string[]> {
  const { port } = new URL(emulator.url);
  const text = JSON.stringify(body);
  const head = `POST /v1${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer sk-emulator\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n`;
  const received: string[] = [];
  await new Promise<void>((resolve, reject) => {
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(head + text));
    socket.on("error", reject);
    socket.on("data", (data) => {
      received.push(data.toString("latin1"));
      if (received.join("").endsWith("\r\n0\r\n\r\n")) resolve();
    });
    onTestFinished(() => void socket.destroy());
  });
  let rest = received.join("").split("\r\n\r\n").slice(1).join("\r\n\r\n");
  const chunks: string[] = [];
  for (;;) {
    const line = rest.indexOf("\r\n");
    const size = Number.parseInt(rest.slice(0, line), 16);
    if (size === 0) return chunks;
    chunks.push(rest.slice(line + 2, line + 2 + size));
    rest = rest.slice(line + 4 + size);
  }
}

/** Ids and times are all that two equal answers differ in. */
function comparable(pieces: readonly string[]): string {
  return pieces
    .join("")
    .replace(/"id":"[^"]*"/g, "")
    .replace(/"created(_at)?":\d+/g, "");
}

const isOneEvent = (piece: string) => piece.endsWith("\n\n") && piece.indexOf("\n\n") === piece.length - 2;

const WAYS: Array<[way: string, read: typeof piecesOf]> = [
  ["without a port", piecesOf],
  ["over HTTP", writesOf],
];

describe.each(WAYS)("streams read %s", (_way, read) => {
  const at = async (pace: StreamPace | undefined, path: string, body: object, options?: EmulatorOptions) => {
    const { emulator } = await startEmulator({ pace, ...options });
    return read(emulator, path, body);
  };

  it("come one event at a time by default", async () => {
    const pieces = await at(undefined, "/chat/completions", CHAT);
    expect(pieces.length).toBeGreaterThan(4);
    expect(pieces.filter(isOneEvent)).toEqual(pieces);
    expect(pieces.at(-1)).toBe("data: [DONE]\n\n");
  });

  it("come whole", async () => {
    const pieces = await at("whole", "/chat/completions", CHAT);
    expect(pieces).toHaveLength(1);
    expect(pieces[0]).toContain("[DONE]");
  });

  it("come byte by byte, for the first 4,096", async () => {
    const pieces = await at("bytes", "/images/generations", IMAGE);
    expect(pieces.slice(0, 4_096).every(({ length }) => length === 1)).toBe(true);
    const [rest = "", ...events] = pieces.slice(4_096);
    expect(rest.endsWith("\n\n")).toBe(true);
    expect(events.filter(isOneEvent)).toEqual(events);
  });

  it("come cut anywhere, the same for a seed", async () => {
    const sizes = async (seed: number) =>
      (await at("cuts", "/chat/completions", CHAT, { seed })).map(({ length }) => length);
    const [first, again, other] = [await sizes(5), await sizes(5), await sizes(6)];
    // Events name the time, whose number of digits does not change.
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
    expect(first.length).toBeGreaterThan(20);
  });

  it("say the same at every pace", async () => {
    for (const [path, body] of [
      ["/chat/completions", CHAT],
      ["/images/generations", IMAGE],
    ] as const) {
      const [whole, ...others] = await Promise.all(
        STREAM_PACES.map(async (pace) => comparable(await at(pace, path, body))),
      );
      for (const other of others) expect(other).toBe(whole);
    }
  });

  it("are cut inside characters", async () => {
    const pieces = await at("cuts", "/chat/completions", {
      ...CHAT,
      messages: [{ role: "user", content: `Repeat: ${"世界🎬".repeat(40)}` }],
    });
    const continues = (piece: string) => (piece.charCodeAt(0) & 0xc0) === 0x80;
    expect(pieces.some(continues)).toBe(true);
  });
});

describe("pace", () => {
  it.each(["events", "bytes", "cuts"] as const)(
    "%s gives the event loop a turn before each write",
    async (pace) => {
      const { emulator } = await startEmulator({ pace });
      const response = await emulator.fetch(`${emulator.url}/chat/completions`, init(CHAT));
      let turns = 0;
      let counting = true;
      const count = () => {
        turns++;
        if (counting) setImmediate(count);
      };
      setImmediate(count);
      let writes = 0;
      for await (const _piece of response.body ?? []) writes++;
      counting = false;
      // Streams read ahead by a few.
      expect(turns).toBeGreaterThan(writes - 5);
      expect(writes).toBeGreaterThan(5);
    },
  );

  it("leaves other answers as they are", async () => {
    const { emulator } = await startEmulator({ pace: "bytes" });
    const pieces = await piecesOf(emulator, "/chat/completions", { ...CHAT, stream: false });
    expect(pieces).toHaveLength(1);
  });

  it("holds for a stream that a fault cuts off", async () => {
    const { emulator } = await startEmulator({ pace: "bytes" });
    emulator.faults.add({ kind: "cut-stream" });
    const pieces = await piecesOf(emulator, "/chat/completions", CHAT);
    expect(new Set(pieces.map(({ length }) => length))).toEqual(new Set([1]));
    expect(pieces.join("")).not.toContain("[DONE]");
  });

  it.each(STREAM_PACES.filter((pace) => pace !== "whole"))(
    "%s lets a reader leave in the middle",
    async (pace) => {
      const { emulator } = await startEmulator({ pace });
      const response = await fetch(`${emulator.url}/chat/completions`, init(CHAT));
      const reader = response.body?.getReader();
      await reader?.read();
      await reader?.cancel();
      await expect.poll(() => emulator.journal.list()[0]?.durationMs).toBeGreaterThan(0);
    },
  );

  it("must be one that there is", () => {
    expect(() => createEmulator({ pace: "slow" as StreamPace })).toThrow(
      "pace must be one of events, whole, bytes, cuts (got slow).",
    );
  });
});
