import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createModelGateway } from "@model-gateway/ai-sdk-provider";
import { ModelGateway } from "@model-gateway/core";
import { type SimulationOptions, simulate, type World } from "@model-gateway/emulator/simulation";
import { generateImage, experimental_generateSpeech as generateSpeech } from "ai";
import OpenAI from "openai";

// The same purchases in the same worlds, each client as it is installed: `pnpm --filter @model-gateway/simulation run sim:peers`
// prints the table of the bench README. A world counts once, whatever goes wrong in it.

const WORLDS = Number(process.argv[2] ?? 500);
const IMAGE = { model: "local-image", prompt: "a fox" };
const SPEECH = { model: "local-speech", input: "A fox.", voice: "alloy" } as const;

type Buy = (kind: "image" | "speech") => Promise<unknown>;

const CLIENTS: Record<string, (world: World) => Buy> = {
  core({ apiKey, baseURL, fetch }) {
    const gateway = new ModelGateway({ apiKey, baseURL, fetch });
    return async (kind) =>
      kind === "image"
        ? gateway.images.generate(IMAGE)
        : (await gateway.audio.speech.create({ ...SPEECH })).bytes();
  },
  openai({ apiKey, baseURL, fetch }) {
    const client = new OpenAI({ apiKey, baseURL, fetch });
    return async (kind) =>
      kind === "image"
        ? client.images.generate(IMAGE)
        : (await client.audio.speech.create({ ...SPEECH, response_format: "wav" })).arrayBuffer();
  },
  "AI SDK, ai-sdk-provider"({ apiKey, baseURL, fetch }) {
    const provider = createModelGateway({ apiKey, baseURL, fetch });
    return throughAISDK(provider.imageModel(IMAGE.model), provider.speechModel(SPEECH.model));
  },
  "AI SDK, openai-compatible"({ apiKey, baseURL, fetch }) {
    const provider = createOpenAICompatible({ name: "gateway", apiKey, baseURL, fetch });
    return throughAISDK(provider.imageModel(IMAGE.model), undefined);
  },
};

function throughAISDK(
  image: Parameters<typeof generateImage>[0]["model"],
  speech: Parameters<typeof generateSpeech>[0]["model"] | undefined,
): Buy {
  return (kind) =>
    kind === "image" || speech === undefined
      ? generateImage({ model: image, prompt: IMAGE.prompt })
      : generateSpeech({ model: speech, text: SPEECH.input, voice: SPEECH.voice, outputFormat: "wav" });
}

/** Every client says in its own way that it does not know; what none says is a certain failure. */
function scenario(buyerOf: (world: World) => Buy): SimulationOptions {
  return {
    async app(world) {
      const buy = buyerOf(world);
      const orders = Array.from({ length: world.count("orders", 1, 3) }, async (_, index) => {
        const kind = world.pick(`order ${index}`, ["image", "speech"] as const);
        await world.intend(`${kind} ${index}`, () => buy(kind)).catch(() => undefined);
      });
      await Promise.all(orders);
    },
  };
}

const rows: Record<string, Record<string, number>> = {};
for (const [name, buyerOf] of Object.entries(CLIENTS)) {
  const wrong: Record<string, number> = {};
  for (let seed = 1; seed <= WORLDS; seed++) {
    const { failure } = await simulate({ ...scenario(buyerOf), seed, runs: 1, shrink: false });
    if (process.env["V"]) console.error(name, seed);
    const what = failure?.violation.split(":", 1)[0];
    if (what !== undefined) wrong[what] = (wrong[what] ?? 0) + 1;
  }
  rows[name] = wrong;
  console.error(name, wrong);
}
const kinds = [...new Set(Object.values(rows).flatMap((wrong) => Object.keys(wrong)))].sort();
const cells = (values: readonly unknown[]) => `| ${values.join(" | ")} |`;
console.log(cells([`of ${WORLDS} worlds`, ...kinds]));
console.log(cells(["---", ...kinds.map(() => "---")]));
for (const [name, wrong] of Object.entries(rows))
  console.log(cells([name, ...kinds.map((kind) => wrong[kind] ?? 0)]));
