import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { Controller, Get, Inject, StreamableFile } from "@nestjs/common";
import { expect, it, onTestFinished } from "vitest";
import { bootApp } from "../../test/boot-app.js";
import { useEmulator } from "../../test/use-emulator.js";
import { getModelGatewayToken, ModelGatewayModule, SpeechService } from "../index.js";

const BODY = { model: "local-speech", input: "Hello", voice: "alloy", format: "wav" };

it("speaks, as bytes with their media type and the head of the answer", async () => {
  const { connection } = await useEmulator();
  const { app } = await bootApp([ModelGatewayModule.forRoot(connection)]);
  const { data, requestId } = await app.get(SpeechService).create(BODY).withResponse();
  expect(requestId).toBeTruthy();
  expect(data.contentType).toContain("audio/");
  expect((await data.bytes()).length).toBeGreaterThan(1_000);
});

it("fails with core's errors", async () => {
  const { connection } = await useEmulator();
  const { app } = await bootApp([ModelGatewayModule.forRoot(connection)]);
  const answer = app.get(SpeechService).create({ ...BODY, model: "no-such-model" });
  await expect(answer).rejects.toMatchObject({ kind: "not_found" });
});

it("sends specialised models of a named instance to their own address", async () => {
  const { emulator, connection } = await useEmulator();
  const { app } = await bootApp([
    ModelGatewayModule.forRoot({
      ...connection,
      name: "voices",
      endpoints: { specialized: emulator.urls.specialized },
      specializedModels: ["local-speech-specialized"],
    }),
  ]);
  const speech = app.get(getModelGatewayToken("voices", SpeechService));
  const { body } = await speech.create({ ...BODY, model: "local-speech-specialized" });
  await body.cancel();
  expect(emulator.journal.list({ path: "/audio/speech" })).toMatchObject([{ status: 200 }]);
});

it("is heard while it arrives, and stops when the listener goes away", async () => {
  // The emulator has a whole file at once; this gateway never comes to an end.
  const [endless, baseURL] = await startGateway((_request, response) => {
    response.writeHead(200, { "content-type": "audio/mpeg" }).write("ID3 once upon a time");
  });
  @Controller("story")
  class StoryController {
    constructor(@Inject(SpeechService) private readonly speech: SpeechService) {}

    @Get()
    async tell() {
      const { body, contentType } = await this.speech.create(BODY);
      return new StreamableFile(Readable.fromWeb(body as ReadableStream), { type: contentType });
    }
  }
  const { url } = await bootApp([ModelGatewayModule.forRoot({ apiKey: "sk-test", baseURL })], {
    controllers: [StoryController],
  });
  const asked = once(endless, "request");
  const response = await fetch(`${url}/story`);
  expect(response.headers.get("content-type")).toBe("audio/mpeg");
  const reader = response.body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toContain("once upon a time");
  const [, answer] = await asked;
  const left = once(answer, "close");
  await reader?.cancel();
  await left;
  expect(answer.writableFinished).toBe(false);
});

async function startGateway(listener: RequestListener): Promise<[Server, baseURL: string]> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return [server, `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`];
}
