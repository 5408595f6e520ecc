import { GatewayError } from "@model-gateway/core";
import type { World } from "@model-gateway/emulator/simulation";

/**
 * Waits for work that may fail as calls of a gateway do.
 *
 * @param maxAttempts as many requests at most may one call of it have made
 * @throws anything else that it rejects with
 */
export async function told(
  world: World,
  what: string,
  work: () => Promise<unknown>,
  maxAttempts = Number.POSITIVE_INFINITY,
): Promise<void> {
  try {
    await work();
    world.trace.add("buyer", `${what}: done`);
  } catch (error) {
    if (!GatewayError.isInstance(error)) throw error;
    if (error.attempts > maxAttempts) throw new Error(`${what} was tried ${error.attempts} times`);
    world.trace.add("buyer", `${what}: ${error.kind}${error.maybeProcessed ? ", may be paid" : ""}`);
  }
}
