import { type ImageToVideoRequest, InvalidRequestError, type OmniVideoRequest } from "@model-gateway/core";
import type { Emulator } from "@model-gateway/emulator";
import { freePort } from "@model-gateway/test-servers";
import {
  type CanActivate,
  type ExecutionContext,
  type INestApplication,
  Injectable,
  VersioningType,
} from "@nestjs/common";
import { APP_GUARD, Reflector } from "@nestjs/core";
import { firstValueFrom, lastValueFrom } from "rxjs";
import { describe, expect, it, vi } from "vitest";
import { bootApp } from "../../test/boot-app.js";
import { holdBack } from "../../test/hold-back.js";
import { useEmulator, VIDEO } from "../../test/use-emulator.js";
import {
  type CallbackOptions,
  getModelGatewayToken,
  MemoryVideoTaskStore,
  ModelGatewayModule,
  type ModelGatewayModuleOptions,
  ModelsService,
  VideosService,
} from "../index.js";

const SECRET = "a secret of at least thirty-two characters";
const FRAME = `data:image/png;base64,${Buffer.from("not looked into").toString("base64")}`;
const NEVER = { intervalMs: 600_000, ratePerSecond: 1_000 };

const STUCK = { ...VIDEO, content: [{ type: "text" as const, text: "[[stuck]]" }] };

async function bootWithCallbacks(
  options: Partial<CallbackOptions> = {},
  globalPrefix?: string,
  { fetch, maxWatchMs }: Pick<ModelGatewayModuleOptions, "fetch"> & { maxWatchMs?: number } = {},
  configure: (app: INestApplication) => void = () => {},
) {
  const { emulator, connection } = await useEmulator();
  const port = await freePort();
  const store = new MemoryVideoTaskStore();
  const prefix = globalPrefix === undefined ? "" : `/${globalPrefix}`;
  const module = ModelGatewayModule.forRoot({
    ...connection,
    ...(fetch && { fetch }),
    videos: { ...NEVER, store, ...(maxWatchMs !== undefined && { maxWatchMs }) },
    callback: { publicURL: `http://127.0.0.1:${port}${prefix}`, secret: SECRET, ...options },
  });
  const { app } = await bootApp([module], {
    port,
    configure: (created) => {
      if (globalPrefix !== undefined) created.setGlobalPrefix(globalPrefix);
      configure(created);
    },
  });
  const polls = () => emulator.journal.list({ method: "GET" }).length;
  const creates = () => emulator.journal.list({ method: "POST" });
  const addressOf = (index = 0) =>
    (creates()[index]?.body as { callback_url?: string } | undefined)?.callback_url ?? "";
  return { app, emulator, store, videos: app.get(VideosService), polls, creates, addressOf, port };
}

async function post(address: string, body: object | string = {}): Promise<number> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const type = typeof body === "string" ? "text/plain" : "application/json";
  const response = await fetch(address, { method: "POST", body: text, headers: { "content-type": type } });
  await response.arrayBuffer();
  return response.status;
}

describe("callbacks", () => {
  it("make a task be polled at once, where polling alone would take minutes", async () => {
    const { videos, emulator, polls } = await bootWithCallbacks();
    const { key } = await videos.submit(VIDEO);
    const record = await firstValueFrom(videos.watch$(key));
    const over = lastValueFrom(videos.watch$(key));
    // The first poll comes without a callback.
    await expect.poll(polls).toBeGreaterThan(0);
    // The emulator calls the address by itself.
    await emulator.videos.succeed(record.handle?.id ?? "");
    expect((await over).status).toBe("succeeded");
    expect(emulator.callbacks.list().at(-1)?.attempts.at(-1)?.status).toBe(202);
  });

  it("reach an application under a global prefix, and one with a path of its own", async () => {
    for (const [options, prefix, expected] of [
      [{}, "api", /^\/api\/model-gateway\/callbacks\/default\//],
      [{ path: "/hooks/videos/" }, undefined, /^\/hooks\/videos\/default\//],
      [{ path: "/" }, undefined, /^\/default\//],
    ] as const) {
      const { videos, emulator, addressOf, polls } = await bootWithCallbacks(options, prefix);
      const { key } = await videos.submit(VIDEO, { key: "order/7 ä" });
      const over = lastValueFrom(videos.watch$(key));
      await expect.poll(polls).toBeGreaterThan(0);
      await emulator.videos.succeed((await videos.get(key))?.handle?.id ?? "");
      expect((await over).status).toBe("succeeded");
      expect(new URL(addressOf()).pathname).toMatch(expected);
    }
  });

  it("are believed nothing: a body that says otherwise changes nothing", async () => {
    const { videos, addressOf, polls } = await bootWithCallbacks();
    const { key } = await videos.submit({ ...VIDEO, content: [{ type: "text", text: "[[stuck]]" }] });
    await expect.poll(polls).toBe(1);
    const lie = {
      id: "evil",
      task_id: "evil",
      status: "succeeded",
      content: { video_url: "https://evil.example/" },
    };
    expect(await post(addressOf(), lie)).toBe(202);
    await expect.poll(polls).toBe(2);
    const record = await videos.get(key);
    expect(record?.status).not.toBe("succeeded");
    expect(record?.handle?.id).not.toBe("evil");
  });

  it("cost one poll a second however many come, in whatever form", async () => {
    const { videos, addressOf, polls } = await bootWithCallbacks();
    await videos.submit({ ...VIDEO, content: [{ type: "text", text: "[[stuck]]" }] });
    await expect.poll(polls).toBe(1);
    const flood = Array.from({ length: 60 }, (_, index) =>
      post(addressOf(), index % 2 === 0 ? {} : "no JSON at all"),
    );
    expect(new Set(await Promise.all(flood))).toEqual(new Set([202]));
    await expect.poll(polls).toBeGreaterThan(1);
    expect(polls()).toBeLessThan(10);
  });

  it("are taken and ignored once the task is over", async () => {
    const { videos, emulator, addressOf, polls } = await bootWithCallbacks();
    const { key } = await videos.submit(VIDEO);
    const over = lastValueFrom(videos.watch$(key));
    await emulator.videos.succeed((await videos.get(key))?.handle?.id ?? "");
    await over;
    const before = polls();
    expect(await post(addressOf())).toBe(202);
    expect(polls()).toBe(before);
  });

  it("are 404 whatever is wrong with the address", async () => {
    const { videos, addressOf, creates } = await bootWithCallbacks();
    await videos.submit(VIDEO, { key: "one" });
    await videos.submit(VIDEO, { key: "two" });
    const good = addressOf(0);
    const [mac = "", expires = ""] = good.split("/").reverse();
    const macOfOther = addressOf(1).split("/").at(-1) ?? "";
    const wrong = {
      "another task's mac": good.replace(mac, macOfOther),
      "another key": good.replace("/one/", "/two/"),
      "a later expiry": good.replace(expires, String(Number(expires) + 1)),
      "a shortened mac": good.slice(0, -4),
      "no mac that could be": good.replace(mac, "!!!"),
      "another instance": good.replace("/default/", "/eu/"),
    };
    expect(creates()).toHaveLength(2);
    for (const [what, address] of Object.entries(wrong)) expect(await post(address), what).toBe(404);
    expect(await post(good)).toBe(202);
  });

  it("are 404 at another instance, also where it has the same secret and the same key", async () => {
    const { emulator, connection } = await useEmulator();
    const port = await freePort();
    const callback = { publicURL: `http://127.0.0.1:${port}`, secret: SECRET };
    const instance = (name?: string) =>
      ModelGatewayModule.forRoot({
        ...{ ...connection, ...(name && { name }), callback },
        videos: { ...NEVER, store: new MemoryVideoTaskStore() },
      });
    const { app } = await bootApp([instance(), instance("eu")], { port });
    await app.get(VideosService).submit(VIDEO, { key: "one" });
    await app.get(getModelGatewayToken("eu", VideosService)).submit(VIDEO, { key: "one" });
    const { body } = emulator.journal.list({ method: "POST" })[0] ?? {};
    const address = (body as { callback_url: string }).callback_url;
    expect(await post(address)).toBe(202);
    expect(await post(address.replace("/default/", "/eu/"))).toBe(404);
  });

  it("are 404 for a submission that is not there, and after the address expired", async () => {
    const { videos, addressOf, store } = await bootWithCallbacks({ expiresInMs: 60_000 });
    await videos.submit(VIDEO);
    const get = vi.spyOn(store, "get").mockResolvedValueOnce(undefined);
    expect(await post(addressOf())).toBe(404);
    get.mockRestore();
    expect(await post(addressOf())).toBe(202);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_001 });
    try {
      expect(await post(addressOf())).toBe(404);
    } finally {
      vi.useRealTimers();
    }
  });

  it("outlive the task by a day: the address expires with the task's own time-out", async () => {
    const { videos, addressOf } = await bootWithCallbacks();
    await videos.submit({ ...VIDEO, execution_expires_after: 7_200 });
    await videos.submit(VIDEO);
    for (const [index, taskExpiryMs] of [7_200_000, 2 * 86_400_000].entries()) {
      const expires = Number(addressOf(index).split("/").at(-2));
      expect(Math.abs(expires - Date.now() - (taskExpiryMs + 86_400_000))).toBeLessThan(60_000);
    }
  });

  it("work on with an old secret while a new one signs", async () => {
    const { videos, addressOf } = await bootWithCallbacks();
    await videos.submit(VIDEO, { key: "one" });
    const old = addressOf();
    const newer = await bootWithCallbacks({ secret: undefined, secrets: [`new ${SECRET}`, SECRET] });
    await newer.videos.submit(VIDEO, { key: "one" });
    const path = new URL(old).pathname;
    expect(await post(`http://127.0.0.1:${newer.port}${path}`)).toBe(202);
    expect(await post(newer.addressOf())).toBe(202);
    const newest = await bootWithCallbacks({ secret: `new ${SECRET}` });
    await newest.videos.submit(VIDEO, { key: "one" });
    expect(await post(`http://127.0.0.1:${newest.port}${path}`)).toBe(404);
    expect(await post(`http://127.0.0.1:${newest.port}${new URL(newer.addressOf()).pathname}`)).toBe(202);
  });

  it("leave an address of the caller's own alone", async () => {
    const { videos, addressOf } = await bootWithCallbacks();
    await videos.submit({ ...VIDEO, callback_url: "http://127.0.0.1:9/own" });
    expect(addressOf()).toBe("http://127.0.0.1:9/own");
  });

  it.each<{ family: "image2video" | "omni-video"; body: ImageToVideoRequest & OmniVideoRequest }>([
    { family: "image2video", body: { model_name: "local-image2video", prompt: "Wind", image: FRAME } },
    { family: "omni-video", body: { model_name: "local-omni-video", prompt: "Rain", image: FRAME } },
  ])("are asked for in the family $family too", async ({ family, body }) => {
    const { videos, emulator, polls } = await bootWithCallbacks();
    const submitted =
      family === "omni-video" ? videos.submit(body, { family }) : videos.submit(body, { family });
    const { key } = await submitted;
    const over = lastValueFrom(videos.watch$(key));
    await expect.poll(polls).toBeGreaterThan(0);
    await emulator.videos.succeed((await videos.get(key))?.handle?.id ?? "");
    expect((await over).status).toBe("succeeded");
  });

  it("leave no trace of a key that no address can hold", async () => {
    const { videos, creates } = await bootWithCallbacks();
    const key = "half a pair: \ud800";
    await expect(videos.submit(VIDEO, { key })).rejects.toThrow(InvalidRequestError);
    expect(await videos.list()).toEqual([]);
    expect(creates()).toEqual([]);
  });

  it("keep the signature out of the records", async () => {
    const { videos, addressOf, store } = await bootWithCallbacks();
    await videos.submit(VIDEO);
    expect(JSON.stringify(await store.list())).not.toContain(addressOf().split("/").at(-1));
  });
});

describe("a submission whose task id was lost", () => {
  it("is found again by its callback, and not paid again", async () => {
    const { videos, emulator, creates, addressOf } = await bootWithCallbacks();
    emulator.faults.add({ kind: "drop-after", path: "/videos", times: 1 });
    await expect(videos.submit(VIDEO, { key: "order-1" })).rejects.toMatchObject({ maybeProcessed: true });
    expect(await videos.get("order-1")).toMatchObject({ status: "unknown" });
    const id = emulator.videos.list()[0]?.id ?? "";
    // What the emulator sent by itself when the task began may have come before the record said unknown.
    expect(await post(addressOf(), { id, status: "running" })).toBe(202);
    await expect.poll(async () => (await videos.get("order-1"))?.handle?.id).toBe(id);
    await emulator.videos.succeed(id);
    await expect.poll(async () => (await videos.get("order-1"))?.status).toBe("succeeded");
    expect(creates()).toHaveLength(1);
  });

  it("does not take the task of another submission, nor one that does not exist", async () => {
    const { videos, emulator, addressOf, polls } = await bootWithCallbacks();
    emulator.faults.add({ kind: "drop-before", path: "/videos", times: 1 });
    await expect(videos.submit(VIDEO, { key: "lost" })).rejects.toMatchObject({ maybeProcessed: true });
    await videos.submit(VIDEO, { key: "other" });
    const other = (await videos.get("other"))?.handle?.id;
    await expect.poll(polls).toBe(1);
    expect(await post(addressOf(0), { id: other })).toBe(202);
    await expect.poll(polls).toBe(2);
    expect(await videos.get("lost")).toMatchObject({ status: "unknown" });
    expect((await videos.get("lost"))?.handle).toBeUndefined();
  });
});

describe("a callback of a task", () => {
  /** Resolves when what was sent to the gateway before has arrived there. */
  const arrival = async (app: INestApplication) => {
    for (let time = 1; time <= 2; time++) await app.get(ModelsService).list();
  };
  const asked = (emulator: Emulator) =>
    emulator.journal.list({ method: "GET" }).filter(({ path }) => path.startsWith("/videos/")).length;

  it("that was left after its time takes it up again", async () => {
    const { videos, addressOf } = await bootWithCallbacks({}, undefined, { maxWatchMs: 300 });
    const { key } = await videos.submit(STUCK);
    expect((await lastValueFrom(videos.watch$(key))).problem?.kind).toBe("video_task_timeout");
    await expect
      .poll(async () => {
        await post(addressOf());
        return (await videos.get(key))?.problem;
      })
      .toBeUndefined();
  });

  it("that nobody wants polled is ignored, also when it was left before", async () => {
    const { app, videos, emulator, addressOf } = await bootWithCallbacks({}, undefined, { maxWatchMs: 20 });
    const { key } = await videos.submit(STUCK);
    expect((await lastValueFrom(videos.watch$(key))).problem?.kind).toBe("video_task_timeout");
    await videos.cancelWatch(key);
    const cancelled = await videos.get(key);
    const before = asked(emulator);
    expect(await post(addressOf())).toBe(202);
    await arrival(app);
    expect(asked(emulator)).toBe(before);
    expect(await videos.get(key)).toEqual(cancelled);
  });

  it("that is being submitted is left to the submission", async () => {
    const { fetch, arrived, release } = holdBack("POST");
    const { app, videos, emulator, addressOf } = await bootWithCallbacks({}, undefined, { fetch });
    const submitted = videos.submit(VIDEO, { key: "order-1" });
    await arrived;
    const id = emulator.videos.list()[0]?.id;
    expect(await post(addressOf(), { id, status: "running" })).toBe(202);
    await arrival(app);
    expect(asked(emulator)).toBe(0);
    expect(await videos.get("order-1")).toMatchObject({ status: "submitting" });
    release();
    await submitted;
    expect((await videos.get("order-1"))?.handle?.id).toBe(id);
  });
});

describe("the route of callbacks", () => {
  it("can be opened through a global guard by metadata", async () => {
    const PUBLIC = "isPublic";
    @Injectable()
    class ClosedGuard implements CanActivate {
      canActivate(context: ExecutionContext): boolean {
        return new Reflector().getAllAndOverride(PUBLIC, [context.getHandler(), context.getClass()]) === true;
      }
    }
    const { emulator, connection } = await useEmulator();
    const port = await freePort();
    const boot = (callbackMetadata?: Record<string, unknown>) =>
      ModelGatewayModule.forRootAsync({
        ...(callbackMetadata && { callbackMetadata }),
        callbackPath: "hooks",
        useFactory: () => ({
          ...connection,
          videos: { ...NEVER, store: new MemoryVideoTaskStore() },
          callback: { publicURL: `http://127.0.0.1:${port}`, secret: SECRET },
        }),
      });
    const guard = { provide: APP_GUARD, useClass: ClosedGuard };
    const { app } = await bootApp([boot({ [PUBLIC]: true })], { port, providers: [guard] });
    await app.get(VideosService).submit(VIDEO);
    const body = emulator.journal.list({ method: "POST" })[0]?.body as { callback_url: string };
    expect(new URL(body.callback_url).pathname).toMatch(/^\/hooks\/default\//);
    expect(await post(body.callback_url)).toBe(202);
    const { url } = await bootApp([boot()], { providers: [guard] });
    expect(await post(url + new URL(body.callback_url).pathname)).toBe(403);
  });

  it("has no version, whatever the others have", async () => {
    const { videos, addressOf } = await bootWithCallbacks({}, undefined, {}, (app) => {
      app.enableVersioning({ type: VersioningType.URI, defaultVersion: "1" });
    });
    await videos.submit(VIDEO);
    expect(await post(addressOf())).toBe(202);
  });

  it.each([".", "..", "...", "~", "~..", "a/b", "a%2Fb", "ü 1?x#y"])(
    "leads back to the key %j, also when somebody tidies the address",
    async (key) => {
      const { videos, addressOf, polls } = await bootWithCallbacks();
      await videos.submit(STUCK, { key });
      await expect.poll(polls).toBe(1);
      expect(await post(new URL(addressOf()).href)).toBe(202);
      await expect.poll(polls).toBe(2);
    },
  );

  it("takes its metadata beside a factory only, and says so", async () => {
    const options = { apiKey: "sk-test", baseURL: "http://127.0.0.1:9/v1", callbackMetadata: {} };
    const module = ModelGatewayModule.forRootAsync({ useFactory: () => options });
    await expect(bootApp([module])).rejects.toThrow(
      /callbackMetadata was returned by the options factory.*put it beside useFactory/,
    );
  });

  it("is there without callbacks only where the options come later, and answers 404", async () => {
    const { connection } = await useEmulator();
    const options = () => ({ ...connection, videos: { store: new MemoryVideoTaskStore() } });
    const { url } = await bootApp([ModelGatewayModule.forRootAsync({ useFactory: options })]);
    expect(await post(`${url}/model-gateway/callbacks/default/k/99999999999999/abc`)).toBe(404);
  });
});

describe("options of callbacks", () => {
  const boot = (callback: object) => {
    const module = ModelGatewayModule.forRoot({
      ...{
        apiKey: "sk-test",
        baseURL: "http://127.0.0.1:9/v1",
        videos: { store: new MemoryVideoTaskStore() },
      },
      callback: { publicURL: "https://example.com/api", secret: SECRET, ...callback } as CallbackOptions,
    });
    return bootApp([module]);
  };

  it.each([
    [{ publicURL: "example.com" }, "callback.publicURL"],
    [{ publicURL: "http://example.com" }, "callback.publicURL"],
    [{ publicURL: "http://localhost.example.com" }, "callback.publicURL"],
    [{ publicURL: "http://127.0.0.1.example.com" }, "callback.publicURL"],
    [{ publicURL: "https://example.com/#x" }, "callback.publicURL"],
    [{ publicURL: "https://user:pass@example.com" }, "callback.publicURL"],
    [{ publicURL: "https://example.com?x=1" }, "callback.publicURL"],
    [{ publicURL: undefined }, "callback.publicURL"],
    [{ secret: undefined }, "secret or secrets"],
    [{ secret: "short" }, "at least 32"],
    [{ secrets: ["short"] }, "at least 32"],
    [{ expiresInMs: 0 }, "callback.expiresInMs"],
    [{ expiresIn: 1 }, "callback.expiresIn is unknown"],
  ])("%j is refused at start-up by name", async (options, message) => {
    await expect(boot(options)).rejects.toThrow(message);
  });

  it("a path from a factory is refused: Nest decides routes before", async () => {
    const callback = { publicURL: "https://example.com", secret: SECRET, path: "late" };
    const useFactory = () => ({ apiKey: "sk-test", baseURL: "http://127.0.0.1:9/v1", callback });
    await expect(bootApp([ModelGatewayModule.forRootAsync({ useFactory })])).rejects.toThrow("callbackPath");
  });
});
