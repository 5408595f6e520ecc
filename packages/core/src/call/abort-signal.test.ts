import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { errorOf, gatewayFor } from "../../test/gateways.js";
import { startServer } from "../../test/scripted-server.js";
import { onAbort } from "./abort-signal.js";
import { delay, OUT_OF_TIME, within } from "./delay.js";

const listenersOf = (signal: AbortSignal) => getEventListeners(signal, "abort").length;

describe("onAbort", () => {
  it("holds one listener however many callbacks there are, and none when they are gone", () => {
    const { signal } = new AbortController();
    const forgets = Array.from({ length: 100 }, () => onAbort(signal, () => {}));
    expect(listenersOf(signal)).toBe(1);
    for (const forget of forgets) {
      forget();
      forget();
    }
    expect(listenersOf(signal)).toBe(0);
    onAbort(signal, () => {});
    expect(listenersOf(signal)).toBe(1);
  });

  it("calls everybody once, also who was there twice, and nobody who has left", () => {
    const controller = new AbortController();
    const calls: string[] = [];
    const twice = () => calls.push("twice");
    onAbort(controller.signal, twice);
    onAbort(controller.signal, twice);
    const forget = onAbort(controller.signal, () => calls.push("left"));
    // Who is called may take others off.
    onAbort(controller.signal, () => forget());
    forget();
    controller.abort();
    controller.abort();
    expect(calls).toEqual(["twice", "twice"]);
  });

  it("does nothing without a signal", () => {
    expect(() => onAbort(undefined, () => {})()).not.toThrow();
  });
});

describe("waits", () => {
  it("end with the signal's reason, leaving nothing behind", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const reason = new Error("left");
    const waits = [delay(60_000, signal), within(new Promise(() => {}), 60_000, signal)].map(errorOf);
    expect(listenersOf(signal)).toBe(1);
    controller.abort(reason);
    expect(await Promise.all(waits)).toEqual([reason, reason]);
    expect(listenersOf(signal)).toBe(0);
    expect(await errorOf(delay(1, signal))).toBe(reason);
    expect(await errorOf(within(Promise.resolve(1), 1, signal))).toBe(reason);
  });

  it("leave no failure of the work unhandled, also when they are over before it", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", note);
    const failing = async () => {
      await null;
      throw new Error("no vault");
    };
    const signal = AbortSignal.abort(new Error("left"));
    expect(await errorOf(within(failing(), 60_000, signal))).toBe(signal.reason);
    const gateway = gatewayFor("http://127.0.0.1:9/v1", { apiKey: failing });
    expect(await errorOf(gateway.models.list({ signal }))).toMatchObject({ kind: "aborted" });
    await new Promise((resolve) => setTimeout(resolve, 5));
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  });

  it("end with the work, and with the time", async () => {
    const { signal } = new AbortController();
    expect(await within(Promise.resolve(7), 60_000, signal)).toBe(7);
    const broken = new Error("broken");
    expect(await errorOf(within(Promise.reject(broken), Number.POSITIVE_INFINITY, signal))).toBe(broken);
    expect(await errorOf(within(new Promise(() => {}), 1, signal))).toBe(OUT_OF_TIME);
    await delay(1, signal);
    await delay(1);
    expect(await within(Promise.resolve(7), 60_000)).toBe(7);
    expect(listenersOf(signal)).toBe(0);
  });
});

it("a hundred calls with one signal are no leak to Node", async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on("warning", note);
  const server = await startServer(() => {});
  const controller = new AbortController();
  const { signal } = controller;
  const gateway = gatewayFor(server.url, { maxConcurrency: 50 });
  const calls = Array.from({ length: 100 }, () => errorOf(gateway.models.list({ signal })));
  await server.arrived(50);
  expect(listenersOf(signal)).toBe(1);
  controller.abort();
  const kinds = (await Promise.all(calls)).map((error) => (error as { kind: string }).kind);
  expect(new Set(kinds)).toEqual(new Set(["aborted"]));
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", note);
  expect(warnings.filter(({ name }) => name === "MaxListenersExceededWarning")).toEqual([]);
});
