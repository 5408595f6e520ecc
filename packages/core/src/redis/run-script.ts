import { createHash } from "node:crypto";
import type { Redis } from "ioredis";

const digests = new Map<string, string>();

/** Runs a script, whose text is sent when the server does not have it. */
export async function runScript(
  client: Pick<Redis, "eval" | "evalsha">,
  script: string,
  keys: readonly string[],
  values: ReadonlyArray<string | number>,
): Promise<unknown> {
  const digest = digests.get(script) ?? createHash("sha1").update(script).digest("hex");
  digests.set(script, digest);
  try {
    return await client.evalsha(digest, keys.length, ...keys, ...values);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
    return client.eval(script, keys.length, ...keys, ...values);
  }
}
