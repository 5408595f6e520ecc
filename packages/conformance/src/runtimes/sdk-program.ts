import { createModelGateway } from "@model-gateway/ai-sdk-provider";
import { generateText, isStepCount, jsonSchema, streamText, tool } from "ai";

// Runs inside an edge runtime: nothing here may need Node.

/** The provider below the SDK: an answer, a stream with a tool loop, and an error. */
export async function runSDKProgram(baseURL: string): Promise<Record<string, unknown>> {
  const modelGateway = createModelGateway({ apiKey: "sk-emulator", baseURL });
  const { text, usage } = await generateText({
    model: modelGateway("local-chat"),
    prompt: "What is 6 times 7?",
  });
  const tools = {
    weather: tool({
      description: "Get the weather in a city",
      inputSchema: jsonSchema<{ city: string }>({
        type: "object",
        properties: { city: { type: "string" } },
        required: ["city"],
      }),
      execute: async ({ city }) => ({ city, temperature: 21 }),
    }),
  };
  const result = streamText({
    model: modelGateway("local-chat"),
    tools,
    stopWhen: isStepCount(3),
    prompt: "What is the weather in Paris?",
  });
  let streamed = "";
  for await (const delta of result.textStream) streamed += delta;
  const steps = (await result.steps).length;
  const failing = generateText({ model: modelGateway("nobody"), prompt: "hi" });
  const failed = await failing.then(
    () => undefined,
    (error: { name: string; statusCode: number }) => ({ name: error.name, status: error.statusCode }),
  );
  return { text, tokens: usage.totalTokens, streamed, steps, failed };
}
