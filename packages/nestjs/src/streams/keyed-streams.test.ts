import type { ChatCompletionChunk, ImageStreamEvent } from "@model-gateway/core";
import { firstValueFrom, lastValueFrom, type Observable, take, tap, toArray } from "rxjs";
import { describe, expect, it } from "vitest";
import { bootApp } from "../../test/boot-app.js";
import { useEmulator } from "../../test/use-emulator.js";
import {
  ChatService,
  eventIdOf,
  ImagesService,
  MemoryStreamStore,
  ModelGatewayModule,
  type StreamsOptions,
} from "../index.js";

const CHAT = {
  model: "local-chat",
  messages: [{ role: "user" as const, content: "Explain at length how a river finds its way to the sea." }],
};
const PICTURE = { model: "local-image-b64", prompt: "A lighthouse", size: "1024x1024", partial_images: 2 };

async function boot(streams: StreamsOptions = {}, latency = 0) {
  const { emulator, connection } = await useEmulator({ latency });
  const { app } = await bootApp([ModelGatewayModule.forRoot({ ...connection, maxRetries: 0, streams })]);
  const requests = (path = "/chat/completions") => emulator.journal.list({ path });
  return { app, emulator, chat: app.get(ChatService), images: app.get(ImagesService), requests };
}

function all<T>(events$: Observable<T>): Promise<T[]> {
  return lastValueFrom(events$.pipe(toArray()), { defaultValue: [] });
}

const textOf = (chunks: readonly ChatCompletionChunk[]) =>
  chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("");

describe("a chat with a key", () => {
  it("is paid for once, whoever reads it, and is the same for all", async () => {
    const { chat, requests } = await boot();
    const chunks$ = chat.stream$(CHAT, { key: "k" });
    expect(requests()).toHaveLength(0);
    const [first, second] = await Promise.all([all(chunks$), all(chat.stream$(CHAT, { key: "k" }))]);
    expect(first.length).toBeGreaterThan(5);
    expect(second).toEqual(first);
    expect(await all(chunks$)).toEqual(first);
    expect(requests()).toHaveLength(1);
    expect(textOf(first)).toBe(textOf(await all(chat.stream$(CHAT))));
    expect(requests()).toHaveLength(2);
  });

  it("gives a reader that was cut at any event exactly the rest", async () => {
    const { chat, requests } = await boot();
    const whole = await all(chat.stream$(CHAT, { key: "whole" }));
    for (let cut = 1; cut <= whole.length; cut++) {
      const key = `cut-${cut}`;
      const had = await all(chat.stream$(CHAT, { key }).pipe(take(cut)));
      const from = eventIdOf(had.at(-1) as object);
      const rest = await all(chat.stream$(CHAT, { key, from }));
      expect(had).toHaveLength(cut);
      expect(textOf([...had, ...rest])).toBe(textOf(whole));
      expect(had.length + rest.length).toBe(whole.length);
    }
    expect(requests()).toHaveLength(whole.length + 1);
  });

  it("goes on when all its readers leave, and is there when one comes back", async () => {
    const { chat, requests } = await boot({}, 100);
    await firstValueFrom(chat.stream$(CHAT, { key: "k" }));
    await expect.poll(() => requests()[0]?.complete).toBe(true);
    expect((await all(chat.stream$(CHAT, { key: "k" }))).at(-1)?.choices[0]?.finish_reason).toBe("stop");
    expect(requests()).toHaveLength(1);
  });

  it("is aborted when nobody reads it for the grace time, and says so", async () => {
    const { chat, emulator, requests } = await boot({ graceMs: 60 });
    emulator.faults.add({ kind: "delay", delayMs: 600_000, times: 1 });
    const subscription = chat.stream$(CHAT, { key: "k" }).subscribe();
    await expect.poll(() => requests()).toHaveLength(1);
    subscription.unsubscribe();
    await expect.poll(() => requests()[0]?.durationMs).toBeGreaterThan(0);
    await expect(all(chat.stream$(CHAT, { key: "k" }))).rejects.toMatchObject({
      ...{ name: "KeyedStreamError", reason: "abandoned", maybeProcessed: true },
    });
    expect(requests()).toHaveLength(1);
  });

  it("goes on while one of its readers is there, however long nothing comes", async () => {
    const { chat, emulator, requests } = await boot({ graceMs: 200 });
    emulator.faults.add({ kind: "delay", delayMs: 1_500 });
    const read = all(chat.stream$(CHAT, { key: "k" }));
    chat.stream$(CHAT, { key: "k" }).subscribe().unsubscribe();
    expect((await read).length).toBeGreaterThan(5);
    expect(requests()).toHaveLength(1);
  });

  it("is stopped for all its readers, who keep what they have", async () => {
    const { chat, requests } = await boot({}, 500);
    const had: ChatCompletionChunk[] = [];
    const ended = new Promise<unknown>((resolve) => {
      chat.stream$(CHAT, { key: "k" }).subscribe({ next: (chunk) => had.push(chunk), error: resolve });
    });
    await expect.poll(() => had.length).toBeGreaterThan(0);
    expect(await chat.stop("k")).toBe(true);
    expect(await ended).toMatchObject({ reason: "stopped", kind: "aborted", maybeProcessed: true });
    expect(await chat.stop("k")).toBe(false);
    expect(await chat.stop("another")).toBe(false);
    await expect.poll(() => requests()[0]?.durationMs).toBeGreaterThan(0);
    expect(requests()[0]?.complete).toBe(false);
    const again: ChatCompletionChunk[] = [];
    await expect(
      all(chat.stream$(CHAT, { key: "k" }).pipe(tap((chunk) => again.push(chunk)))),
    ).rejects.toMatchObject({ reason: "stopped" });
    expect(again).toEqual(had);
    expect(requests()).toHaveLength(1);
  });

  it("that broke tells every reader the same, then and later", async () => {
    const { chat, emulator, requests } = await boot();
    emulator.faults.add({ kind: "cut-stream", times: 1 });
    const read = () =>
      all(chat.stream$(CHAT, { key: "k" })).then(
        () => undefined,
        (error) => ({ ...error, message: error.message }),
      );
    const [first, second] = await Promise.all([read(), read()]);
    expect(first).toMatchObject({
      ...{
        reason: "broken",
        kind: "stream_interrupted",
        errorName: "StreamInterruptedError",
      },
      eventId: expect.stringMatching(/^[0-9a-f]{16}-\d+$/),
    });
    expect(second).toEqual(first);
    expect(await read()).toEqual(first);
    expect(requests()).toHaveLength(1);
  });

  it("that was refused leaves its key free", async () => {
    const { chat, emulator, requests } = await boot();
    emulator.faults.add({ kind: "status", status: 401, times: 1 });
    await expect(all(chat.stream$(CHAT, { key: "k" }))).rejects.toMatchObject({
      ...{ reason: "refused", kind: "authentication", status: 401, maybeProcessed: false },
    });
    await expect(all(chat.stream$({ ...CHAT, temperature: 9 }, { key: "k" }))).rejects.toMatchObject({
      ...{ reason: "refused", kind: "invalid_request" },
    });
    expect((await all(chat.stream$(CHAT, { key: "k" }))).length).toBeGreaterThan(5);
    expect(requests()).toHaveLength(2);
  });

  it("is not begun by one who comes back", async () => {
    const { chat, requests } = await boot();
    await all(chat.stream$(CHAT, { key: "k" }));
    for (const [key, from] of [
      ["unknown", "00ff-3"],
      ["k", "00ff-3"],
      ["k", "7"],
      ["k", ""],
      ["unknown", "0"],
    ] as const) {
      await expect(all(chat.stream$(CHAT, { key, from }))).rejects.toMatchObject({ reason: "unknown" });
    }
    expect(requests()).toHaveLength(1);
  });

  it("is forgotten some time after its end", async () => {
    const { chat, requests } = await boot({ keepMs: 20 });
    const from = eventIdOf((await all(chat.stream$(CHAT, { key: "k" }))).at(0) as object);
    await expect
      .poll(() => all(chat.stream$(CHAT, { key: "k", from })).catch((error) => error.reason))
      .toBe("unknown");
    expect(requests()).toHaveLength(1);
  });

  it("that is too large is ended, and says so", async () => {
    const { chat } = await boot({ maxStreamBytes: 1_000 });
    await expect(all(chat.stream$(CHAT, { key: "k" }))).rejects.toMatchObject({ reason: "full" });
    const { chat: other, requests } = await boot({ store: new MemoryStreamStore({ maxBytes: 3_000 }) });
    await expect(all(other.stream$(CHAT, { key: "k" }))).rejects.toMatchObject({ reason: "full" });
    await expect(all(other.stream$(CHAT, { key: "l" }))).rejects.toMatchObject({ reason: "full" });
    const { chat: none, requests: noRequests } = await boot({
      store: new MemoryStreamStore({ maxBytes: 100 }),
    });
    await expect(all(none.stream$(CHAT, { key: "k" }))).rejects.toMatchObject({
      ...{ reason: "refused", message: expect.stringContaining("nothing paid") },
    });
    expect(noRequests()).toHaveLength(0);
    expect(requests()).toHaveLength(2);
  });

  it("is left by one reader on its signal, and by nobody else", async () => {
    const { chat, requests } = await boot({}, 200);
    const controller = new AbortController();
    const left = all(chat.stream$(CHAT, { key: "k", signal: controller.signal }));
    const stays = all(chat.stream$(CHAT, { key: "k" }));
    await expect.poll(() => requests()).toHaveLength(1);
    controller.abort();
    await expect(left).rejects.toMatchObject({ kind: "aborted", name: "APIUserAbortError" });
    await expect(all(chat.stream$(CHAT, { key: "x", signal: controller.signal }))).rejects.toMatchObject({
      kind: "aborted",
    });
    expect((await stays).length).toBeGreaterThan(5);
    expect(requests()).toHaveLength(1);
  });

  it("is cut when the application closes, and no other begins", async () => {
    const { app, chat, requests } = await boot({}, 500);
    const cut = all(chat.stream$(CHAT, { key: "k" }));
    await expect.poll(() => requests()).toHaveLength(1);
    const outcome = expect(cut).rejects.toMatchObject({ reason: "cut", maybeProcessed: true });
    await app.close();
    await outcome;
    await expect(all(chat.stream$(CHAT, { key: "k" }))).rejects.toMatchObject({ reason: "closing" });
    expect(requests()).toHaveLength(1);
  });

  it("lets no reader change what others read", async () => {
    const { chat } = await boot();
    const spoil = await all(chat.stream$(CHAT, { key: "k" }));
    for (const chunk of spoil) chunk.choices = [];
    expect(textOf(await all(chat.stream$(CHAT, { key: "k" }))).length).toBeGreaterThan(20);
  });
});

describe("images with a key", () => {
  const typesOf = (events: readonly ImageStreamEvent[]) => events.map(({ type }) => type);

  it("are paid for once, and are the same for a reader cut at any event", async () => {
    const { images, emulator, requests } = await boot();
    const whole = await all(images.stream$(PICTURE, { key: "whole" }));
    expect(typesOf(whole)).toEqual(["partial", "partial", "completed"]);
    const last = whole.at(-1);
    if (last?.type !== "completed") throw new Error("There is no image.");
    expect((await last.image.bytes()).length).toBeGreaterThan(1_000);
    const paid = emulator.ledger.list().length;
    for (let cut = 1; cut <= whole.length; cut++) {
      const key = `cut-${cut}`;
      const had = await all(images.stream$(PICTURE, { key }).pipe(take(cut)));
      const rest = await all(images.stream$(PICTURE, { key, from: eventIdOf(had.at(-1) as object) }));
      expect([...had, ...rest]).toEqual(whole);
    }
    expect(requests("/images/generations")).toHaveLength(1 + whole.length);
    expect(emulator.ledger.list()).toHaveLength(paid * (1 + whole.length));
    expect(paid).toBe(1);
  });

  it("are edited and stopped, under keys of their own", async () => {
    const { images, chat, requests } = await boot();
    await all(chat.stream$(CHAT, { key: "k" }));
    const [event] = await all(images.stream$({ ...PICTURE, partial_images: 0 }, { key: "k" }));
    if (event?.type !== "completed") throw new Error("There is no image.");
    const edit = { ...PICTURE, images: [await event.image.bytes()] };
    const edited$ = images.editStream$(edit, { key: "edit" });
    expect(typesOf(await all(edited$))).toEqual(["partial", "partial", "completed"]);
    expect(await all(edited$)).toHaveLength(3);
    expect(requests("/images/edits")).toHaveLength(1);
    expect(await images.stop("edit")).toBe(false);
  });
});
