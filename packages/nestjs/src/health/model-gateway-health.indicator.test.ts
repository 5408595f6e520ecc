import type { EmulatorOptions } from "@model-gateway/emulator";
import { Controller, Get, Inject, Query } from "@nestjs/common";
import { HealthCheck, HealthCheckService, TerminusModule } from "@nestjs/terminus";
import { describe, expect, it, onTestFinished } from "vitest";
import { bootApp } from "../../test/boot-app.js";
import { FAST_POLLS, useEmulator, VIDEO } from "../../test/use-emulator.js";
import {
  MemoryVideoTaskStore,
  ModelGatewayModule,
  type ModelGatewayModuleOptions,
  VideosService,
} from "../index.js";
import { ModelGatewayHealthIndicator } from "../terminus.js";

const NEST_11 = process.env["NEST_MAJOR"] === "11";

@Controller("health")
class HealthController {
  constructor(
    @Inject(HealthCheckService) private readonly health: HealthCheckService,
    @Inject(ModelGatewayHealthIndicator) private readonly gateway: ModelGatewayHealthIndicator,
  ) {}

  @Get()
  @HealthCheck()
  check(@Query("instance") instance?: string, @Query("timeoutMs") timeoutMs = "10000") {
    return this.health.check([
      () => this.gateway.isHealthy("gateway", { instance, timeoutMs: Number(timeoutMs) }),
    ]);
  }
}

/** A real application with a health endpoint, and what the endpoint says of the gateway. */
async function bootHealth(options: ModelGatewayModuleOptions = {}, emulatorOptions: EmulatorOptions = {}) {
  const { emulator, connection } = await useEmulator(emulatorOptions);
  const defaults = { ...connection, maxRetries: 0, videos: FAST_POLLS };
  const { app, url } = await bootApp(
    [
      TerminusModule,
      ModelGatewayModule.forRoot({ ...defaults, ...options }),
      ModelGatewayModule.forRoot({ ...defaults, apiKey: "sk-nobody-knows", name: "locked-out" }),
    ],
    { controllers: [HealthController], providers: [ModelGatewayHealthIndicator] },
  );
  const health = async (query = "") => {
    const response = await fetch(`${url}/health${query}`);
    const { status, details } = await response.json();
    return { code: response.status, status, gateway: details.gateway };
  };
  return { app, emulator, connection, health, videos: app.get(VideosService) };
}

/** What Terminus says of an instance that works with difficulties. */
function degraded(reasons: unknown[]) {
  return NEST_11
    ? { code: 200, status: "ok", gateway: { status: "up", reasons } }
    : { code: 200, status: "degraded", gateway: { status: "degraded", reasons } };
}

function down(reasons: unknown[]) {
  return { code: 503, status: "error", gateway: { status: "down", reasons } };
}

describe("up", () => {
  it("is an instance whose model list can be read", async () => {
    const { emulator, health } = await bootHealth();
    expect(await health()).toEqual({ code: 200, status: "ok", gateway: { status: "up" } });
    expect(emulator.journal.list({ path: "/models" })).toHaveLength(1);
  });

  it("is an instance that gets through at the second try, as its calls do", async () => {
    const { emulator, health } = await bootHealth({ maxRetries: 1 });
    emulator.faults.add({ kind: "status", status: 500, times: 1 });
    expect(await health()).toMatchObject({ gateway: { status: "up" } });
  });
});

describe("degraded", () => {
  it("is an instance with submissions of unknown outcome", async () => {
    const { emulator, health, videos } = await bootHealth();
    emulator.faults.add({ kind: "drop-after", path: "/videos", times: 1 });
    await expect(videos.submit(VIDEO)).rejects.toMatchObject({ maybeProcessed: true });
    expect(await health()).toEqual(degraded([expect.stringMatching(/unknown outcome/)]));
  });

  it("is an instance whose submissions are turned away", async () => {
    const { emulator, health, videos } = await bootHealth({
      videos: { store: new MemoryVideoTaskStore(), perTenant: 1 },
    });
    emulator.faults.add({ kind: "status", status: 429, path: "/videos" });
    await videos.submit(VIDEO, { key: "a" });
    await expect
      .poll(() => health(), { timeout: 20_000 })
      .toEqual(
        degraded([expect.stringMatching(/^1 video submissions wait.* since .*turned away \(rate_limit\)/)]),
      );
  });

  it("is an instance whose polls the gateway slows down", async () => {
    const { emulator, health, videos } = await bootHealth();
    emulator.faults.add({ kind: "status", status: 429, path: "/videos/*", times: 1 });
    await videos.submit(VIDEO);
    await expect
      .poll(() => health(), { timeout: 20_000 })
      .toEqual(degraded([expect.stringMatching(/less often/)]));
  });

  it("is an instance whose store is in trouble", async () => {
    class FullStore extends MemoryVideoTaskStore {
      override async troubles() {
        return ["The disk is full."];
      }
    }
    const { health } = await bootHealth({ videos: { store: new FullStore() } });
    expect(await health()).toEqual(degraded(["The disk is full."]));
  });

  it.each([
    ["fails", () => Promise.reject(new Error("connect ECONNREFUSED 10.0.0.7:6379"))],
    ["hangs", () => new Promise<string[]>(() => {})],
  ])("is an instance whose store %s", async (_what, troubles) => {
    class BrokenStore extends MemoryVideoTaskStore {
      override troubles() {
        return troubles();
      }
    }
    const { health } = await bootHealth({ videos: { store: new BrokenStore() } });
    expect(await health("?timeoutMs=2000")).toEqual(degraded(["The video tasks cannot be read."]));
  });

  it("is an instance that the gateway asks to slow down", async () => {
    const { emulator, health } = await bootHealth();
    emulator.faults.add({ kind: "status", status: 429 });
    expect(await health()).toEqual(degraded(["The gateway asks to send fewer requests."]));
  });
});

describe("down", () => {
  it.each([500, 503, 404])("is an instance whose model list is answered with %i", async (status) => {
    const { emulator, health } = await bootHealth();
    emulator.faults.add({ kind: "status", status });
    expect(await health()).toEqual(down(["The gateway does not give its model list."]));
  });

  it("is an instance with a wrong key, and only that one", async () => {
    const { health } = await bootHealth();
    expect(await health("?instance=locked-out")).toEqual(down(["The gateway does not give its model list."]));
    expect(await health()).toMatchObject({ gateway: { status: "up" } });
  });

  it("is an instance that reaches nobody, without a word about where", async () => {
    const { emulator, health } = await bootHealth();
    await emulator.close();
    expect(await health()).toEqual(down(["The gateway cannot be reached."]));
  });

  it("is an instance that gets no answer in time", async () => {
    const { emulator, health } = await bootHealth();
    emulator.faults.add({ kind: "delay", delayMs: 60_000 });
    expect(await health("?timeoutMs=50")).toEqual(down(["The gateway did not answer within 50 ms."]));
    // The request is ended too: checks that come every few seconds must not pile up.
    const request = () => emulator.journal.list({ path: "/models" })[0];
    await expect.poll(() => request()?.durationMs).toBeGreaterThan(0);
    expect(request()?.complete).toBe(false);
  });

  it("is an instance whose key does not come in time", async () => {
    let hand: (key: string) => void = () => {};
    const apiKey = () => new Promise<string>((resolve) => (hand = resolve));
    onTestFinished(() => hand("sk-late"));
    const { health } = await bootHealth({ apiKey });
    expect(await health("?timeoutMs=50")).toEqual(down(["The gateway did not answer within 50 ms."]));
  });

  it("tells what stands in the way of video tasks as well", async () => {
    const { emulator, health, videos } = await bootHealth();
    emulator.faults.add({ kind: "drop-after", path: "/videos", times: 1 });
    await expect(videos.submit(VIDEO)).rejects.toMatchObject({ maybeProcessed: true });
    await emulator.close();
    expect(await health()).toEqual(
      down(["The gateway cannot be reached.", expect.stringMatching(/unknown outcome/)]),
    );
  });
});

it("is degraded while a video cannot be read, without a word of the gateway, and up again after", async () => {
  const backoff = { firstMs: 5, maxMs: 5, refusedMs: 5 };
  const { emulator, health, videos } = await bootHealth({ videos: { ...FAST_POLLS, backoff } });
  emulator.faults.add({ kind: "status", status: 403, path: "/videos/*" });
  await videos.submit({ ...VIDEO, content: [{ type: "text", text: "[[stuck]]" }] });
  const reasons = async () => (await health()).gateway.reasons;
  await expect
    .poll(reasons)
    .toEqual([
      expect.stringMatching(/^1 video tasks cannot be read, the first since \S+ \(permission_denied\)/),
    ]);
  emulator.faults.clear();
  await expect.poll(reasons).toBeUndefined();
});
