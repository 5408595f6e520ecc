import { ModelGateway } from "@model-gateway/core";
import { createEmulator, type Emulator } from "@model-gateway/emulator";

/** A key for which moderation has been enabled. */
const MODERATED_KEY = "sk-moderated";

/** An emulator whose video tasks end at once in human terms, with a client that repeats nothing. */
export async function startToolEmulator(): Promise<{ emulator: Emulator; gateway: ModelGateway }> {
  const emulator = await createEmulator({
    seed: 1,
    videoTimings: { queuedMs: 20, runningMs: 60 },
    keys: [{ key: MODERATED_KEY, group: "default", moderation: true }],
  }).listen({ port: 0 });
  const gateway = new ModelGateway({ apiKey: MODERATED_KEY, baseURL: emulator.url, maxRetries: 0 });
  return { emulator, gateway };
}

/** A tool call as an agent makes it. */
export function toolCall(name: string, args: Record<string, unknown>) {
  return { type: "tool_call" as const, id: "call-1", name, args };
}

/** A value as it comes back from a store. */
export function stored(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
