import { firstValueFrom, lastValueFrom, map, toArray } from "rxjs";
import { describe, expect, it } from "vitest";
import { bootApp } from "../../test/boot-app.js";
import { useEmulator } from "../../test/use-emulator.js";
import { ChatService, ModelGatewayModule } from "../index.js";

const BODY = {
  model: "local-chat",
  messages: [{ role: "user" as const, content: "Explain at length how a river finds its way to the sea." }],
};

async function bootChat(latency = 0) {
  const { emulator, connection } = await useEmulator({ latency });
  const { app } = await bootApp([ModelGatewayModule.forRoot(connection)]);
  const requests = () => emulator.journal.list({ path: "/chat/completions" });
  return { app, emulator, chat: app.get(ChatService), requests };
}

describe("chat", () => {
  it("creates a completion as a promise, with its head on demand", async () => {
    const { chat } = await bootChat();
    const { data, requestId } = await chat.create(BODY).withResponse();
    expect(data.choices[0]?.message.content).toBeTruthy();
    expect(requestId).toBeTruthy();
    expect((await chat.create(BODY)).choices[0]?.message).toEqual(data.choices[0]?.message);
  });

  it("streams the same answer as an Observable that completes", async () => {
    const { chat } = await bootChat();
    const whole = await chat.create(BODY);
    const pieces = await lastValueFrom(
      chat.stream$(BODY).pipe(
        map((chunk) => chunk.choices[0]?.delta.content ?? ""),
        toArray(),
      ),
    );
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join("")).toBe(whole.choices[0]?.message.content);
  });

  it("sends nothing before somebody subscribes, and once per subscription after that", async () => {
    const { chat, requests } = await bootChat();
    const chunks$ = chat.stream$(BODY);
    expect(requests()).toHaveLength(0);
    await Promise.all([lastValueFrom(chunks$), lastValueFrom(chunks$)]);
    expect(requests()).toHaveLength(2);
  });

  it("aborts the request when the subscriber leaves", async () => {
    const { chat, requests } = await bootChat(200);
    await firstValueFrom(chat.stream$(BODY));
    // The gateway sees the connection go before the answer is complete: only then does an entry get its duration.
    await expect.poll(() => requests()[0]?.durationMs).toBeGreaterThan(0);
    expect(requests()[0]).toMatchObject({ status: 200, complete: false });
  });

  it("aborts the request when the subscriber leaves before the answer began", async () => {
    const { chat, emulator, requests } = await bootChat();
    emulator.faults.add({ kind: "delay", delayMs: 60_000 });
    const subscription = chat.stream$(BODY).subscribe();
    await expect.poll(() => requests().length).toBe(1);
    subscription.unsubscribe();
    await expect.poll(() => requests()[0]?.durationMs).toBeGreaterThan(0);
    expect(requests()[0]).toMatchObject({ status: null, complete: false });
  });

  it("fails with core's errors", async () => {
    const { chat } = await bootChat();
    await expect(lastValueFrom(chat.stream$({ ...BODY, model: "no-such-model" }))).rejects.toMatchObject({
      kind: "not_found",
    });
    await expect(lastValueFrom(chat.stream$({ ...BODY, temperature: 9 }))).rejects.toMatchObject({
      kind: "invalid_request",
    });
  });

  it("obeys the caller's signal", async () => {
    const { chat } = await bootChat(200);
    const controller = new AbortController();
    const chunks$ = chat.stream$(BODY, { signal: controller.signal });
    const ended = lastValueFrom(chunks$);
    controller.abort();
    await expect(ended).rejects.toMatchObject({ kind: "aborted" });
  });

  it("ends open streams when the application closes, and begins no new ones", async () => {
    const { app, chat, requests } = await bootChat(200);
    const ended = lastValueFrom(chat.stream$(BODY));
    await expect.poll(() => requests().length).toBe(1);
    const outcome = expect(ended).rejects.toMatchObject({ kind: "aborted" });
    await app.close();
    await outcome;
    await expect(lastValueFrom(chat.stream$(BODY))).rejects.toMatchObject({ kind: "aborted" });
    expect(requests()).toHaveLength(1);
  });
});
