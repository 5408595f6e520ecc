// Run by check-packages.mjs in an application of Nest's own making, whose Jest loads everything as CommonJS.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NotFoundError } from "@model-gateway/core";
import { createEmulator } from "@model-gateway/emulator";
import { useEmulator } from "@model-gateway/emulator/jest";
import {
  ChatService,
  EmbeddingsService,
  ImagesService,
  JournalVideoTaskStore,
  MemoryVideoTaskStore,
  ModelGatewayModule,
  SpeechService,
  VideosService,
} from "@model-gateway/nestjs";
import { ModelGatewayTesting, ModelGatewayTestingModule } from "@model-gateway/nestjs/testing";
import { Injectable } from "@nestjs/common";
import { Test } from "@nestjs/testing";

@Injectable()
class Orders {
  constructor(private readonly videos: VideosService) {}

  place(text: string): Promise<{ key: string }> {
    return this.videos.submit({ model: "local-video-2.0", content: [{ type: "text", text }], duration: 5 });
  }
}

it("orders a video that is kept in a file, and has it", async () => {
  const emulator = createEmulator({ seed: 1 });
  const directory = mkdtempSync(join(tmpdir(), "orders-"));
  const store = new JournalVideoTaskStore({ directory });
  const testing = await Test.createTestingModule({
    imports: [ModelGatewayTestingModule.forRoot({ emulator, isGlobal: true, videos: { store } })],
    providers: [Orders],
  }).compile();
  const app = await testing.createNestApplication().init();
  const { key } = await app.get(Orders).place("A boat");
  const { status, task } = await app.get(ModelGatewayTesting).settle(key);
  expect(status).toBe("succeeded");
  expect(task?.videos[0]?.url).toMatch(/^http/);
  expect(await app.get(VideosService).list()).toHaveLength(1);
  expect(emulator.journal.list({ method: "POST" })).toHaveLength(1);
  await app.close();
  rmSync(directory, { recursive: true });
});

it("streams an answer over a real connection", async () => {
  const emulator = await createEmulator({ seed: 1 }).listen();
  const videos = { store: new MemoryVideoTaskStore() };
  const testing = await Test.createTestingModule({
    imports: [ModelGatewayModule.forRoot({ apiKey: "sk-emulator", baseURL: emulator.url, videos })],
  }).compile();
  const words: string[] = [];
  await testing
    .get(ChatService)
    .stream$({ model: "local-chat", messages: [{ role: "user", content: "Hello" }] })
    .forEach((chunk) => void words.push(chunk.choices[0]?.delta.content ?? ""));
  expect(words.join("")).not.toBe("");
  await testing.close();
  await emulator.close();
});

// Jest gives tests globals of their own: what looks for classes by identity notices.
it("knows bytes and errors for what they are", async () => {
  const testing = await Test.createTestingModule({
    imports: [ModelGatewayTestingModule.forRoot({ emulator: createEmulator({ seed: 1 }) })],
  }).compile();
  const size = "1024x1024";
  const drawn = await testing
    .get(ImagesService)
    .generate({ model: "local-image-b64", prompt: "A fox", size });
  const picture = new Uint8Array(Buffer.from(drawn.images[0]?.base64 ?? "", "base64"));
  const edited = await testing
    .get(ImagesService)
    .edit({ model: "local-image-b64", prompt: "A red fox", images: [picture], size });
  expect(edited.images).toHaveLength(1);
  const speech = await testing
    .get(SpeechService)
    .create({ model: "local-speech", input: "Hello", voice: "alloy", format: "wav" });
  expect((await speech.bytes()).byteLength).toBeGreaterThan(1_000);
  const unknown = testing.get(EmbeddingsService).create({ model: "no-such-model", input: ["Hello"] });
  await expect(unknown).rejects.toBeInstanceOf(NotFoundError);
  await testing.close();
});

describe("an emulator of the file", () => {
  const emulator = useEmulator({ seed: 1 });

  it.each(["first", "second"])("is as new for the %s test", async () => {
    expect(emulator.journal.list()).toEqual([]);
    expect((await fetch(`${emulator.url}/models`)).status).toBe(401);
  });
});
