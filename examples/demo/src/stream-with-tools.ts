import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ModelGatewayProvider } from "@model-gateway/ai-sdk-provider";
import { isStepCount, Output, streamText, tool } from "ai";
import { z } from "zod";
import { expectThat, type StepResult } from "./step.js";

const DEPARTURES: Record<string, string> = { Lisbon: "10:40", Oslo: "12:15" };

const departure = tool({
  description: "Get the departure time of the next train to a city",
  inputSchema: z.object({ city: z.string().describe("Name of the city") }),
  execute: async ({ city }) => ({ city, departure: DEPARTURES[city] ?? "not served" }),
});

/** Streams an answer for which the model has to call a tool twice. */
export async function streamAnswerWithTools(
  modelGateway: ModelGatewayProvider,
  output: string,
): Promise<StepResult> {
  const question = "When does the next train to Lisbon leave, and when the one to Oslo?";
  console.log(`  ? ${question}`);
  const result = streamText({
    model: modelGateway("local-chat"),
    tools: { departure },
    stopWhen: isStepCount(3),
    prompt: question,
    onError: ({ error }) => {
      throw error;
    },
  });
  let calls = 0;
  let answering = false;
  for await (const part of result.stream) {
    if (part.type === "tool-call") {
      calls++;
      console.log(`  → ${part.toolName}(${JSON.stringify(part.input)})`);
    }
    if (part.type !== "text-delta") continue;
    process.stdout.write((answering ? "" : "  ! ") + part.text.replaceAll("\n", "\n    "));
    answering = true;
  }
  process.stdout.write("\n");
  const answer = await result.text;
  const { totalTokens } = await result.totalUsage;
  expectThat(calls === 2, "two tool calls");
  expectThat(answer.includes("10:40") && answer.includes("12:15"), "both departure times in the answer");
  expectThat((totalTokens ?? 0) > 0, "token usage");
  const file = "departures.md";
  await writeFile(join(output, file), `# ${question}\n\n${answer}\n`);
  return { file };
}

const ticketSchema = z.object({
  name: z.string(),
  email: z.string(),
  orderNumber: z.string(),
  urgent: z.boolean(),
  problems: z.array(z.string()),
});

/** Streams an object that the model fills from a letter. */
export async function streamObject(modelGateway: ModelGatewayProvider, output: string): Promise<StepResult> {
  const letter = [
    "Hello, my name is Ada Brandt (ada@example.com). My order number is A-1042 and this is urgent.",
    "Problems:",
    "- the lamp arrived broken",
    "- the cable is missing",
  ].join("\n");
  const result = streamText({
    model: modelGateway("local-chat"),
    output: Output.object({ schema: ticketSchema }),
    prompt: `Turn this letter into a ticket.\n\n${letter}`,
  });
  let partials = 0;
  for await (const _partial of result.partialOutputStream) partials++;
  const ticket = await result.output;
  console.log(`  ${partials} partial objects, then ${JSON.stringify(ticket)}`);
  expectThat(ticket.email === "ada@example.com", "the sender's address in the ticket");
  expectThat(ticket.problems.length === 2, "both problems in the ticket");
  const file = "ticket.json";
  await writeFile(join(output, file), `${JSON.stringify(ticket, null, 2)}\n`);
  return { file };
}
