import { expect, it } from "vitest";
import { SERVER_SENT_EVENTS } from "./stream-format.js";
import { streamResponse } from "./stream-response.js";

it("takes no event that nobody wants, but for the first", async () => {
  let taken = 0;
  const gone = new AbortController();
  const events = (async function* () {
    for (; taken < 100; ) yield { id: `a-${++taken}`, json: "1" };
    return "a-101";
  })();
  const { body } = await streamResponse(events, SERVER_SENT_EVENTS, gone);
  const reader = body?.getReader();
  for (let read = 1; read <= 3; read++) {
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(`id: a-${read}\ndata: 1\n\n`);
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(taken).toBe(read);
  }
  await reader?.cancel();
  expect(gone.signal.aborted).toBe(true);
});

it("writes texts of several lines as one event, and nothing into another", async () => {
  const { failure } = SERVER_SENT_EVENTS;
  const text = "one\ntwo\r\nthree\rfour\u2028five";
  const error = { reason: "cut", eventId: "a-1" } as Parameters<typeof failure>[0];
  expect(failure(error, text)).toBe(
    "id: a-1\nevent: error\ndata: one\ndata: two\ndata: three\ndata: four\u2028five\n\n",
  );
});
