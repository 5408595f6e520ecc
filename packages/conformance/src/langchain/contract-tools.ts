import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { z as z3 } from "zod/v3";

/** A schema of the older Zod, which LangChain takes too. */
export const Person = z3.object({
  name: z3.string().describe("The person's name"),
  age: z3.number().describe("The age"),
});
export const PERSON_QUESTION = "Alice is 31 years old.";

export const calculator = tool(async ({ operation, a, b }) => String(operation === "add" ? a + b : a * b), {
  name: "calculator",
  description: "Adds or multiplies two numbers",
  schema: z.object({ operation: z.enum(["add", "multiply"]), a: z.number(), b: z.number() }),
});
export const weather = tool(async ({ location }) => `Sunny in ${location}`, {
  name: "get_weather",
  description: "The current weather in a location",
  schema: z.object({ location: z.string().describe("Name of the city") }),
});
export const clock = tool(async () => "12:00", {
  name: "get_time",
  description: "The current time in a location",
  schema: z.object({ location: z.string().describe("Name of the city") }),
});
