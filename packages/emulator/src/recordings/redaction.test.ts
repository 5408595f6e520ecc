import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newFolder, readAll, recordFrom, serve, UPSTREAM_KEY } from "../testing/record-calls.js";
import { bearer, startEmulator } from "../testing/start-emulator.js";
import { REDACTED, Redactor } from "./redactor.js";

const CALLER_KEY = "sk-of-a-caller/9876543210+zyxwvu";
const COOKIE = "session-cookie-1234567890";

/** What gives a key away, in whatever form it is written. */
function tracesOf(key: string): RegExp[] {
  const base64 = [0, 1, 2].flatMap((shift) => {
    const whole = Buffer.concat([Buffer.alloc(shift), Buffer.from(key)]);
    return [whole.toString("base64"), whole.toString("base64url")].map((text) => text.slice(4, -4));
  });
  const forms = [key, encodeURIComponent(key), key.replaceAll("/", "\\/"), Buffer.from(key).toString("hex")];
  return [...forms, ...base64].map((form) => new RegExp(form.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"), "i"));
}

/** Text that stands in events is read as who reads the stream does. */
function joined(text: string): string {
  return [...text.matchAll(/"content":"((?:[^"\\]|\\.)*)"/g)].map(([, piece]) => piece).join("");
}

describe("nothing that is written", () => {
  it("holds a key of the upstream or of a caller, in whatever form the upstream says it", async () => {
    const forms = (key: string) => [
      ...[
        key,
        encodeURIComponent(key),
        Buffer.from(key).toString("hex"),
        Buffer.from(key).toString("base64url"),
      ],
      ...["", "a", "ab"].map((before) => Buffer.from(`${before}${key} and more`).toString("base64")),
    ];
    const said = [UPSTREAM_KEY, CALLER_KEY].flatMap(forms);
    const inEvents = (key: string) =>
      [...key].map(
        (letter) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: letter } }] })}\n\n`,
      );
    const baseURL = await serve((request, response) => {
      const kind = new URL(request.url ?? "", "http://a").pathname.split("/").at(-1);
      const headers = {
        ...{ "set-cookie": `a=${COOKIE}`, authorization: `Bearer ${UPSTREAM_KEY}` },
        "cache-control": `private="${UPSTREAM_KEY}"`,
      };
      if (kind === "stream") {
        response.writeHead(200, { ...headers, "content-type": "text/event-stream" });
        for (const event of inEvents(`The key is ${UPSTREAM_KEY}.`)) response.write(event);
        const whole = `data: ${JSON.stringify({ said, [UPSTREAM_KEY]: 1 })}\n\nid: ${CALLER_KEY}\ndata: x\n\n`;
        response.end(whole);
      } else if (kind === "picture") {
        response.writeHead(200, { ...headers, "content-type": "image/png" });
        response.end(
          Buffer.concat([Buffer.from([0x89, 0x50, 0xff, 0]), ...said.map((text) => Buffer.from(text))]),
        );
      } else if (kind === "text") {
        response.writeHead(200, { ...headers, "content-type": "text/plain" });
        response.end(said.join("\n") + JSON.stringify(JSON.stringify(said)).replaceAll("/", "\\/"));
      } else {
        response.writeHead(401, { ...headers, "content-type": "application/json" });
        const tool = { arguments: JSON.stringify({ key: UPSTREAM_KEY }) };
        response.end(JSON.stringify({ said, tool, api_key: "short", password: "also short" }));
      }
    });
    const dir = await newFolder();
    const { emulator, post } = await recordFrom(baseURL, dir, { keys: [{ key: CALLER_KEY }] });
    for (const kind of ["stream", "picture", "text", "json"]) {
      const answer = await post(
        `/say/${kind}?token=${encodeURIComponent(CALLER_KEY)}&page=2`,
        { said: forms(CALLER_KEY), mine: CALLER_KEY },
        CALLER_KEY,
      );
      // The caller gets what was said.
      const bytes = Buffer.from(await answer.arrayBuffer());
      expect(kind === "stream" ? joined(bytes.toString()) : bytes.toString("latin1")).toContain(UPSTREAM_KEY);
    }
    const form = new FormData();
    form.set("note", CALLER_KEY);
    form.set(`named-${CALLER_KEY}`, "x");
    const posted = { method: "POST", headers: bearer(CALLER_KEY), body: form };
    await (await fetch(`${emulator.url}/say/form/json`, posted)).text();
    await emulator.close();

    const files = await readAll(dir);
    expect([...files.keys()].map((name) => name.split(".").at(-1)).sort()).toEqual([
      "json",
      "json",
      "json",
      "json",
      "json",
      "png",
    ]);
    for (const [name, bytes] of files) {
      const text = bytes.toString("latin1");
      for (const trace of [...tracesOf(UPSTREAM_KEY), ...tracesOf(CALLER_KEY)]) {
        expect(trace.test(text), `${name} holds ${trace}`).toBe(false);
        expect(trace.test(joined(text)), `the events of ${name} hold ${trace}`).toBe(false);
      }
      for (const secret of [COOKIE, "short", "authorization"]) expect(text).not.toContain(secret);
      if (name.endsWith(".json")) expect(text).toContain(REDACTED);
      expect(name).not.toMatch(/sk-/);
    }
    // What was taken out does not keep a call from being known again, nor its answer from being read.
    const { post: again } = await startEmulator({ replay: { dir }, keys: [{ key: CALLER_KEY }] });
    const replayed = await again(
      `/say/stream?page=2&token=other`,
      { said: forms(CALLER_KEY), mine: CALLER_KEY },
      CALLER_KEY,
    );
    expect(replayed.status).toBe(200);
    expect(joined(await replayed.text())).toBe(`The key is ${REDACTED}.`);
  });

  it.each([
    ["a key", "use sk-proj-abcdefghijklmnop_123 now", `use ${REDACTED} now`],
    ["a key after an escape", "\\nsk-abcdefghijklmnopqrst", `\\n${REDACTED}`],
    ["a key in a URL", "a%20sk-abcdefghijklmnopqrst", `a%20${REDACTED}`],
    ["a word", "task-management-of-everything", "task-management-of-everything"],
    ["a bearer", "Authorization: Bearer abcdefgh.ijklmnop=", `Authorization: Bearer ${REDACTED}`],
    ["prose", "the bearer of bad news", "the bearer of bad news"],
    ["a signed token", "eyJhbGciOiJIUzI1.eyJzdWIiOiIx.c2lnbmF0dXJl", REDACTED],
    [
      "a signed link",
      "https://a.test/x.mp4?X-Amz-Signature=abc&X-Amz-Date=2026&X-Amz-Credential=c%2Fd).",
      `https://a.test/x.mp4?X-Amz-Signature=${REDACTED}&X-Amz-Date=2026&X-Amz-Credential=${REDACTED}).`,
    ],
    ["a token in a link", "/x?access_token=abc#f&sig=1", `/x?access_token=${REDACTED}&sig=${REDACTED}`],
    [
      "an encoded link",
      "u=https%3A%2F%2Fa%3Fsignature%3Dabc%26x%3D1",
      `u=https%3A%2F%2Fa%3Fsignature%3D${REDACTED}%26x%3D1`,
    ],
    ["a password", "redis://me:secret@host/0", `redis://me:${REDACTED}@host/0`],
    ["JSON", '{"api_key": "abc", "token": "Hello"}', `{"api_key": "${REDACTED}", "token": "Hello"}`],
  ])("holds what looks like %s", (_name, text, expected) => {
    expect(new Redactor([]).text(text)).toBe(expected);
  });

  it("holds a key that is cut anywhere, and loses nothing else", () => {
    const texts = fc.array(fc.string({ maxLength: 5 }), { maxLength: 8 });
    fc.assert(
      fc.property(texts, fc.nat(), fc.array(fc.nat({ max: 60 })), (around, at, cuts) => {
        const plain = around.join("");
        const place = at % (plain.length + 1);
        const text = plain.slice(0, place) + UPSTREAM_KEY + plain.slice(place);
        const ends = [...cuts.filter((cut) => cut <= text.length), text.length].sort(
          (one, other) => one - other,
        );
        const pieces = ends.map((end, index) => text.slice(index === 0 ? 0 : ends[index - 1], end));
        const redacted = new Redactor([UPSTREAM_KEY]).texts(pieces);
        expect(redacted).toHaveLength(pieces.length);
        expect(redacted.join("")).toBe(plain.slice(0, place) + REDACTED + plain.slice(place));
      }),
    );
  });

  it("keeps words that are keys, too: what is that short is no secret", () => {
    expect(new Redactor(["ollama", "", null]).text("ollama runs")).toBe("ollama runs");
  });

  const LONG = 200_000;
  it.each([
    ...'sk- ,sk-a,bearer ,Bearer%20,eyJ,eyJaaaaaaaa.,?token,?x-a-,&a_token=,//a:,//,"api_key": ,?aaaaaaaaaaaaaaaa_,a@,%3fkey%3d,%3f'
      .split(",")
      .map((piece) => [piece]),
  ])("is held up by a text of many %j", (piece) => {
    const text = piece.repeat(LONG / piece.length);
    // Read in linear time, this is over at once; otherwise the test never ends.
    expect(new Redactor([UPSTREAM_KEY]).text(text).length).toBeGreaterThan(0);
    expect(new Redactor([UPSTREAM_KEY]).text(`${text}!`).length).toBeGreaterThan(0);
  });
});
