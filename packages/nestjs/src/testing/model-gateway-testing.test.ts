import { createEmulator } from "@model-gateway/emulator";
import { Inject, Injectable } from "@nestjs/common";
import { Test } from "@nestjs/testing";
import { lastValueFrom, map, toArray } from "rxjs";
import { describe, expect, it, onTestFinished } from "vitest";
import { SchedulingStore } from "../../test/scheduling-store.js";
import { VIDEO } from "../../test/use-emulator.js";
import { ChatService, getModelGatewayToken, VideosService } from "../index.js";
import {
  ModelGatewayTesting,
  ModelGatewayTestingModule,
  type ModelGatewayTestingOptions,
} from "../testing.js";

@Injectable()
class Greeter {
  constructor(@Inject(ChatService) private readonly chat: ChatService) {}

  async greet(): Promise<string> {
    const messages = [{ role: "user" as const, content: "Hello" }];
    const { choices } = await this.chat.create({ model: "local-chat", messages });
    return String(choices[0]?.message.content);
  }
}

async function boot(options: ModelGatewayTestingOptions) {
  const testing = await Test.createTestingModule({
    imports: [ModelGatewayTestingModule.forRoot(options)],
    providers: [Greeter],
  }).compile();
  const app = await testing.createNestApplication({ logger: false }).init();
  onTestFinished(() => app.close());
  return app;
}

describe("the testing module on the emulator", () => {
  it("serves services without a port", async () => {
    const emulator = createEmulator({ seed: 1 });
    const app = await boot({ emulator });
    expect(await app.get(Greeter).greet()).toMatch(/\w/);
    expect(emulator.journal.list()).toHaveLength(1);
  });

  it("moves a video through its life in virtual time", async () => {
    const emulator = createEmulator({ seed: 1 });
    const app = await boot({ emulator });
    const videos = app.get(VideosService);
    const testing = app.get(ModelGatewayTesting);
    const { key } = await videos.submit(VIDEO);
    const statuses = lastValueFrom(
      videos.watch$(key).pipe(
        map(({ status }) => status),
        toArray(),
      ),
    );
    const record = await testing.settle(key);
    expect(record.task?.videos[0]?.url).toMatch(/^http/);
    const seen = await statuses;
    expect(seen[0]).toBe("queued");
    expect(seen).toContain("running");
    expect(seen.at(-1)).toBe("succeeded");
    expect(emulator.clock.now()).toBeGreaterThan(Date.now());
  });

  it("gives up on a video that is never over, in no real time", async () => {
    const app = await boot({ emulator: createEmulator() });
    const { key } = await app
      .get(VideosService)
      .submit({ ...VIDEO, content: [{ type: "text", text: "[[stuck]]" }] });
    const testing = app.get(ModelGatewayTesting);
    await expect(testing.settle(key, { stepMs: 60_000 })).rejects.toThrow(
      /still (queued|running) after 3600000 ms/,
    );
    await expect(testing.settle("nobody")).rejects.toThrow("There is no video with key nobody.");
  });

  it("leaves real time out of it: no poll is due before the clock is moved", async () => {
    const store = new SchedulingStore();
    const app = await boot({ emulator: createEmulator(), videos: { store } });
    await app.get(VideosService).submit(VIDEO, { key: "order-1" });
    expect((await store.pollOnce("order-1")).nextPollMs).toBeGreaterThan(86_400_000);
  });

  it("does not take up a video that nobody wants watched", async () => {
    const app = await boot({ emulator: createEmulator() });
    const videos = app.get(VideosService);
    const { key } = await videos.submit(VIDEO);
    await videos.cancelWatch(key);
    const cancelled = await videos.get(key);
    await app.get(ModelGatewayTesting).advance(60_000);
    expect(await videos.get(key)).toEqual(cancelled);
  });

  it("gives named instances a clock of their own", async () => {
    const emulator = createEmulator();
    const app = await boot({ emulator, name: "eu", isGlobal: true, apiKey: "sk-emulator" }).catch(
      (error) => error,
    );
    // Greeter wants the default instance, which is not there.
    expect(String(app)).toContain("ChatService");
    const testing = await Test.createTestingModule({
      imports: [ModelGatewayTestingModule.forRoot({ emulator, name: "eu" })],
    }).compile();
    expect(testing.get(getModelGatewayToken("eu", ModelGatewayTesting))).toBeInstanceOf(ModelGatewayTesting);
    await testing.close();
  });
});

describe("the testing module on a stub", () => {
  it("answers from it, and looks at tasks on demand", async () => {
    const statuses = ["running", "succeeded"];
    const asked: string[] = [];
    const app = await boot({
      fetch: async (input, init) => {
        const { method, url } = new Request(input, init);
        asked.push(`${method} ${new URL(url).pathname}`);
        return Response.json(method === "POST" ? { id: "t1" } : { id: "t1", status: statuses.shift() });
      },
    });
    const videos = app.get(VideosService);
    const { key } = await videos.submit(VIDEO);
    await expect.poll(async () => (await videos.get(key))?.status).toBe("running");
    await app.get(ModelGatewayTesting).advance(0);
    expect((await videos.get(key))?.status).toBe("succeeded");
    expect(asked).toEqual(["POST /v1/videos", "GET /v1/videos/t1", "GET /v1/videos/t1"]);
  });
});
