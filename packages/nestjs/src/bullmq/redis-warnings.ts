import type { Queue } from "bullmq";

/** A client of Redis, as every client that BullMQ takes has it. */
interface RedisInfo {
  info(): Promise<unknown>;
}

interface RedisHolder {
  client?: Promise<Partial<RedisInfo>>;
}

/**
 * What of a Redis server's settings can lose video tasks, a sentence each. Nothing where it cannot be asked: another server
 * than Redis, or one that does not tell.
 */
export async function redisWarnings(queue: Queue): Promise<string[]> {
  // BullMQ 6 has the client on its backend, BullMQ 5 on the queue.
  const holder = queue as unknown as RedisHolder & { getBackend?: () => RedisHolder };
  const client = await (holder.getBackend?.() ?? holder).client;
  if (typeof client?.info !== "function") return [];
  const info = String(await client.info());
  const warnings: string[] = [];
  if (settingOf(info, "aof_enabled") === "0")
    warnings.push(
      "Redis does not write down what it is told at once (appendonly no): when it stops, video tasks that were paid for " +
        "are lost. Set appendonly yes.",
    );
  const policy = settingOf(info, "maxmemory_policy");
  if (policy !== undefined && policy !== "noeviction")
    warnings.push(
      `Redis throws data away when its memory is full (maxmemory-policy ${policy}), video tasks that were paid for ` +
        "included. Set maxmemory-policy noeviction.",
    );
  return warnings;
}

function settingOf(info: string, name: string): string | undefined {
  const line = info.split(/\r?\n/).find((each) => each.startsWith(`${name}:`));
  return line?.slice(name.length + 1).trim();
}
