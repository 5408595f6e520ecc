import { type InferUITools, tool, type UIMessage } from "ai";
import { z } from "zod";

export const tools = {
  weather: tool({
    description: "Get the weather in a city",
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => ({ city, celsius: city === "Paris" ? 21 : 17 }),
  }),
};

/** Messages of the chat, with the tool's input and output typed on the page as well. */
export type ChatMessage = UIMessage<unknown, never, InferUITools<typeof tools>>;
