import { GatewayError } from "@model-gateway/core";
import type { World } from "@model-gateway/emulator/simulation";

/** Waits for work that may fail as calls of a gateway do. @throws anything else that it rejects with */
export async function told(world: World, what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
    world.trace.add("buyer", `${what}: done`);
  } catch (error) {
    if (!GatewayError.isInstance(error)) throw error;
    world.trace.add("buyer", `${what}: ${error.kind}${error.maybeProcessed ? ", may be paid" : ""}`);
  }
}
