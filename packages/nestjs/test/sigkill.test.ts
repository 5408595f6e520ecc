import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Child, compileChild, startChild } from "./child.js";
import type { ApplicationArgument, ApplicationMessage, KillPoint } from "./children/application.js";
import { useEmulator } from "./use-emulator.js";

let program: Awaited<ReturnType<typeof compileChild>>;
beforeAll(async () => {
  program = await compileChild("application");
});
afterAll(() => program.remove());

async function useApplication() {
  const { emulator, connection } = await useEmulator();
  const directory = await mkdtemp(join(tmpdir(), "sigkill-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const start = (groups: string[][], kill?: ApplicationArgument["kill"]) => {
    const argument: ApplicationArgument = { ...connection, directory, groups, ...(kill && { kill }) };
    return startChild(program.file, argument);
  };
  /** How often a video was asked for, by the gateway's own account. The key is what the video shows. */
  const paid = (key: string) =>
    emulator.journal
      .list({ method: "POST", path: "/videos" })
      .filter(({ body }) => JSON.stringify(body).includes(`"${key} `)).length;
  const ended = new Set<string>();
  const succeed = async (id: string) => {
    if (!ended.has(id)) await emulator.videos.succeed(id);
    ended.add(id);
  };
  /** Another process on the same directory submits everything again and watches it to its end. */
  const restart = async (groups: string[][]) => {
    const child = start(groups);
    const told = await answersOf(child, groups.flat().length);
    for (const { id } of emulator.videos.list()) await succeed(id);
    told.push(...(await restOf(child)));
    expect(await child.exit).toBe(0);
    const of = (key: string) => told.filter((message) => message.key === key).map(withoutKey);
    return { of };
  };
  return { emulator, start, succeed, paid, restart };
}

/** What a program tells until so many submissions were answered. */
async function answersOf(child: Child, count: number): Promise<ApplicationMessage[]> {
  const messages: ApplicationMessage[] = [];
  const isAnswer = ({ told }: ApplicationMessage) => told === "submitted" || told === "taken";
  while (messages.filter(isAnswer).length < count) {
    const message = await child.next();
    if (message === undefined) throw new Error("The program ended too soon.");
    messages.push(message as ApplicationMessage);
  }
  return messages;
}

async function restOf(child: Child): Promise<ApplicationMessage[]> {
  const messages: ApplicationMessage[] = [];
  for (let message = await child.next(); message !== undefined; message = await child.next()) {
    messages.push(message as ApplicationMessage);
  }
  return messages;
}

function withoutKey({ key: _key, ...message }: ApplicationMessage) {
  return message;
}

const GROUPS = [["earlier"], ["order-1"]];

describe("a process that is killed", () => {
  it.each<{ at: KillPoint; paidBefore: number; outcome: "submitted" | "unknown" | "found" }>([
    { at: "before the intent is written", paidBefore: 0, outcome: "submitted" },
    { at: "after the intent is written", paidBefore: 0, outcome: "unknown" },
    { at: "before the task id is written", paidBefore: 1, outcome: "unknown" },
    { at: "after the task id is written", paidBefore: 1, outcome: "found" },
    { at: "before the end is written", paidBefore: 1, outcome: "found" },
    { at: "after the end is written", paidBefore: 1, outcome: "found" },
  ])(
    "$at: pays once at most, and the next process has it as $outcome",
    async ({ at, paidBefore, outcome }) => {
      const { start, succeed, paid, restart } = await useApplication();
      const child = start(GROUPS, { key: "order-1", at });
      if (at.includes("end")) {
        const submitted = (await answersOf(child, 2)).find(({ key }) => key === "order-1");
        await succeed((submitted?.told === "submitted" && submitted.taskId) || "");
      }
      expect(await child.exit).toBe("SIGKILL");
      expect(paid("order-1")).toBe(paidBefore);

      const { of } = await restart(GROUPS);
      const told = of("order-1");
      const taskId = told.find((message) => "taskId" in message)?.taskId;
      if (outcome === "submitted") {
        expect(told).toEqual([
          { told: "submitted", taskId },
          { told: "settled", status: "succeeded", taskId },
        ]);
      } else if (outcome === "unknown") {
        expect(told).toHaveLength(3);
        expect(told).toEqual(
          expect.arrayContaining([
            { told: "orphan" },
            { told: "taken" },
            { told: "settled", status: "unknown", taskId: undefined },
          ]),
        );
      } else {
        expect(told).toEqual([{ told: "taken" }, { told: "settled", status: "succeeded", taskId }]);
        expect(taskId).toBeTypeOf("string");
      }
      expect(paid("order-1")).toBe(outcome === "submitted" ? 1 : paidBefore);
      // What was under way before is not touched by it.
      expect(of("earlier").map(({ told: what }) => what)).toEqual(["taken", "settled"]);
      expect(paid("earlier")).toBe(1);
    },
  );

  it("while it polls: the next process polls on", async () => {
    const { emulator, start, paid, restart } = await useApplication();
    const child = start(GROUPS);
    await answersOf(child, 2);
    await expect.poll(() => emulator.journal.list({ method: "GET" }).length).toBeGreaterThan(5);
    child.process.kill("SIGKILL");
    expect(await child.exit).toBe("SIGKILL");
    const { of } = await restart(GROUPS);
    for (const key of GROUPS.flat()) {
      expect(of(key)).toEqual([
        { told: "taken" },
        { told: "settled", status: "succeeded", taskId: expect.any(String) },
      ]);
      expect(paid(key)).toBe(1);
    }
  });

  it("amid many submissions: every one is found or announced, and none is sent again", async () => {
    const { emulator, start, paid, restart } = await useApplication();
    const keys = Array.from({ length: 40 }, (_, index) => `order-${index}`);
    emulator.faults.add({ kind: "delay", path: "/videos", times: 20, delayMs: 600_000 });
    const child = start([keys]);
    const answered = new Set((await answersOf(child, 20)).map(({ key }) => key));
    await expect.poll(() => emulator.journal.list({ method: "POST" }).length).toBe(40);
    child.process.kill("SIGKILL");
    expect(await child.exit).toBe("SIGKILL");
    emulator.faults.clear();

    const { of } = await restart([keys]);
    for (const key of keys) {
      const told = of(key).map(({ told: what }) => what);
      expect(told.sort()).toEqual(answered.has(key) ? ["settled", "taken"] : ["orphan", "settled", "taken"]);
      expect(of(key)).toContainEqual(
        expect.objectContaining({ told: "settled", status: answered.has(key) ? "succeeded" : "unknown" }),
      );
      expect(paid(key)).toBe(1);
    }
  });
});
