import OpenAI from "openai";
import { onTestFinished } from "vitest";
import { createEmulator, type Emulator, type EmulatorOptions, WELL_KNOWN_KEY } from "../index.js";

/** An emulator on a free port that is closed when the test ends, and the usual ways to talk to it. */
export async function startEmulator(options: EmulatorOptions = {}) {
  const emulator: Emulator = await createEmulator({ seed: 1, ...options }).listen({ port: 0 });
  onTestFinished(() => emulator.close());
  const openai = new OpenAI({ apiKey: WELL_KNOWN_KEY, baseURL: emulator.url, maxRetries: 0 });
  return {
    emulator,
    openai,
    get: (path: string, key = WELL_KNOWN_KEY) => fetch(emulator.url + path, { headers: bearer(key) }),
    post: (path: string, body: unknown, key = WELL_KNOWN_KEY) =>
      fetch(emulator.url + path, {
        method: "POST",
        headers: { ...bearer(key), "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    /** What the chat model says to one user message. */
    ask: async (content: string, system?: string): Promise<string> => {
      const completion = await openai.chat.completions.create({
        model: "local-chat",
        messages: [
          ...(system === undefined ? [] : [{ role: "system" as const, content: system }]),
          { role: "user" as const, content },
        ],
      });
      return completion.choices[0]?.message.content ?? "";
    },
  };
}

export function bearer(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}` };
}

/** The Error body of a response, with its status. */
export async function errorOf(
  response: Response,
): Promise<{ status: number; message: string; type: string; code: string }> {
  const { error } = (await response.json()) as { error: { message: string; type: string; code: string } };
  return { status: response.status, ...error };
}
