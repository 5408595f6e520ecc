import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "./free-port.js";

/** A Redis to test with: the one at REDIS_URL, or one that the tests start. */
export const hasRedisServer = spawnSync("redis-server", ["--version"]).status === 0;
export const hasRedis = process.env["REDIS_URL"] !== undefined || hasRedisServer;

if (!hasRedis) {
  console.warn(
    `\n${"!".repeat(100)}\n` +
      "!! There is no Redis: the tests on Redis are SKIPPED.\n" +
      "!! Install redis-server (Debian: apt-get install redis-server), or set REDIS_URL, and run them again.\n" +
      `${"!".repeat(100)}\n`,
  );
}

export interface Redis {
  url: string;
  stop(): Promise<void>;
}

/** @returns a server that may be shared with others: use names of your own */
export async function useRedis(): Promise<Redis> {
  const url = process.env["REDIS_URL"];
  return url === undefined ? RedisServer.start() : { url, stop: async () => undefined };
}

/** A server of our own, with nothing in it, that a test may halt and kill. */
export class RedisServer implements Redis {
  private constructor(
    readonly port: number,
    private readonly folder: string,
    private readonly settings: Record<string, string>,
    private process: ChildProcess,
  ) {}

  /** @param settings of redis.conf, in place of those that keep everything */
  static async start(settings: Record<string, string> = {}): Promise<RedisServer> {
    const folder = await mkdtemp(join(tmpdir(), "redis-"));
    const port = await freePort();
    return new RedisServer(port, folder, settings, await run(port, folder, settings));
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** The connection stands, and nothing answers. */
  halt(): void {
    this.process.kill("SIGSTOP");
  }

  goOn(): void {
    this.process.kill("SIGCONT");
  }

  async kill(): Promise<void> {
    const { process } = this;
    if (process.exitCode !== null || process.signalCode !== null) return;
    process.kill("SIGKILL");
    await once(process, "exit");
  }

  async startAgain(): Promise<void> {
    this.process = await run(this.port, this.folder, this.settings);
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function run(port: number, folder: string, settings: Record<string, string>): Promise<ChildProcess> {
  const options = {
    port,
    bind: "127.0.0.1",
    dir: folder,
    save: "",
    appendonly: "yes",
    appendfsync: "always",
    ...settings,
  };
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const server = spawn("redis-server", flags, { stdio: ["ignore", "pipe", "inherit"] });
  // Also when the tests are interrupted.
  process.once("exit", () => server.kill("SIGKILL"));
  const lines = createInterface({ input: server.stdout });
  for await (const line of lines) {
    if (!line.includes("Ready to accept connections")) continue;
    server.stdout.resume();
    return server;
  }
  throw new Error("redis-server ended before it was ready.");
}
