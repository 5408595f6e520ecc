import { ModelGateway } from "@model-gateway/core";
import type { World } from "@model-gateway/emulator/simulation";
import { told } from "../told.js";

const QUESTION = "Which animals live in the forest, and what do they eat?";

/** Streams that are read to their end, cut, or left: what counts as whole is whole, byte for byte. */
export async function coreStreams(world: World): Promise<void> {
  const gateway = new ModelGateway({ apiKey: world.apiKey, baseURL: world.baseURL, fetch: world.fetch });
  const model = "local-chat";
  const whole = await wholeAnswer(world, model);
  const readers = Array.from({ length: world.count("readers", 1, 5) }, async (_, index) => {
    const name = `reader ${index}`;
    const leavesAfter = world.chance(`${name} leaves`, 0.3) ? world.count(`${name} reads`, 0, 20) : undefined;
    await told(world, name, () => read(leavesAfter));
  });
  await Promise.all(readers);

  async function read(leavesAfter: number | undefined): Promise<void> {
    const messages = [{ role: "user" as const, content: QUESTION }];
    const stream = await gateway.chat.completions.create({ model, messages, stream: true });
    let text = "";
    let events = 0;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      if (!whole.startsWith(text)) throw new Error(`what was read is not how the answer begins: ${text}`);
      if (events++ === leavesAfter) return;
    }
    if (text !== whole) throw new Error(`a stream that was cut counts as whole: ${text}`);
  }
}

/** What the gateway says when nothing goes wrong, asked without the network. */
async function wholeAnswer({ emulator, apiKey }: World, model: string): Promise<string> {
  const response = await emulator.fetch(`${emulator.url}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: QUESTION }] }),
  });
  const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
  return choices[0]?.message.content ?? "";
}
