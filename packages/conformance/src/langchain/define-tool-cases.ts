import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { Serialized } from "@langchain/core/load/serializable";
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { expect } from "vitest";
import { z } from "zod";
import { calculator, clock, PERSON_QUESTION, Person, weather } from "./contract-tools.js";
import { type CaseGroup, type ContractModel, collect } from "./describe-contract.js";

/** What LangChain requires of tools and structured output. */
export function defineToolCases(group: CaseGroup, model: () => ContractModel): void {
  group("histories with tool calls", (it) => {
    const history = (content: AIMessage["content"]) => [
      new HumanMessage("What is 1 plus 2?"),
      new AIMessage({
        content,
        tool_calls: [
          { type: "tool_call", id: "abc123", name: "calculator", args: { operation: "add", a: 1, b: 2 } },
        ],
      }),
      new ToolMessage({ content: "3", tool_call_id: "abc123", name: "calculator" }),
    ];

    it("are taken with content as a string", async () => {
      expect((await model().bindTools([calculator]).invoke(history(""))).text).toContain("3");
    });

    it("are taken with content as a list, whose tool_use block is no content", async () => {
      const content = [
        { type: "text", text: "Let me add." },
        { type: "tool_use", id: "abc123", name: "calculator", input: { operation: "add", a: 1, b: 2 } },
      ];
      expect((await model().bindTools([calculator]).invoke(history(content))).text).toContain("3");
    });

    it("are taken with parallel calls", async () => {
      const cities = ["Paris", "Tokyo"];
      const calls = cities.map((location) => ({
        type: "tool_call" as const,
        id: `call_${location}`,
        name: "get_weather",
        args: { location },
      }));
      const answer = await model()
        .bindTools([weather])
        .invoke([
          new HumanMessage("What is the weather in Paris and in Tokyo?"),
          new AIMessage({ content: "", tool_calls: calls }),
          ...calls.map(
            ({ id, args }) => new ToolMessage({ content: `Sunny in ${args.location}`, tool_call_id: id }),
          ),
        ]);
      expect(answer.text).toContain("Sunny in Paris");
      expect(answer.text).toContain("Sunny in Tokyo");
    });
  });

  group("structured output", (it) => {
    it("fills a schema", async () => {
      expect(await model().withStructuredOutput(Person).invoke(PERSON_QUESTION)).toEqual({
        name: "Alice",
        age: 31,
      });
    });

    it("fills a schema and gives the raw message", async () => {
      const { raw, parsed } = await model()
        .withStructuredOutput(Person, { includeRaw: true })
        .invoke(PERSON_QUESTION);
      expect(AIMessage.isInstance(raw) || AIMessageChunk.isInstance(raw)).toBe(true);
      expect(parsed).toEqual({ name: "Alice", age: 31 });
    });

    it("shows its format to tracers", async () => {
      const seen: unknown[] = [];
      class Handler extends BaseCallbackHandler {
        name = "handler";
        override handleChatModelStart(
          _model: Serialized,
          _messages: BaseMessage[][],
          _runId: string,
          _parent?: string,
          extra?: Record<string, unknown>,
        ) {
          const options = extra?.["options"] as Record<string, unknown> | undefined;
          seen.push(options?.["ls_structured_output_format"]);
        }
      }
      await model()
        .withStructuredOutput(Person)
        .invoke(PERSON_QUESTION, { callbacks: [new Handler()] });
      expect(seen).toEqual([{ kwargs: { method: "functionCalling" }, schema: toJsonSchema(Person) }]);
    });
  });

  group("tools", (it) => {
    it("are taken in the wire format", async () => {
      const definition = {
        type: "function",
        function: { name: "person", description: "Notes a person", parameters: toJsonSchema(Person) },
      };
      const { tool_calls: calls } = await model()
        .bindTools([definition], { tool_choice: "person" })
        .invoke(PERSON_QUESTION);
      expect(calls).toMatchObject([{ name: "person", args: { name: "Alice", age: 31 } }]);
    });

    it("are taken as runnables", async () => {
      const runnable = RunnableLambda.from((_input: { name: string; age: number }) => "noted").asTool({
        name: "person",
        description: "Notes a person",
        schema: z.object({ name: z.string(), age: z.number() }),
      });
      const { tool_calls: calls } = await model()
        .bindTools([runnable], { tool_choice: "person" })
        .invoke(PERSON_QUESTION);
      expect(calls).toMatchObject([{ name: "person", args: { name: "Alice", age: 31 } }]);
    });

    it("are taken as parameters without a function", async () => {
      const parameters = {
        name: "person",
        description: "Notes a person",
        schema: z.object({ name: z.string(), age: z.number() }),
      };
      const { tool_calls: calls } = await model()
        .bindTools([parameters], { tool_choice: "any" })
        .invoke(PERSON_QUESTION);
      expect(calls).toMatchObject([{ name: "person", args: { name: "Alice", age: 31 } }]);
    });

    it("are called in a stream, with usage", async () => {
      const whole = await collect(
        await model().bindTools([weather], { tool_choice: "get_weather" }).stream("The weather in Paris?"),
      );
      expect(whole.tool_calls).toMatchObject([{ name: "get_weather", args: { location: "Paris" } }]);
      expect(whole.usage_metadata?.output_tokens).toBeGreaterThan(0);
    });

    for (const way of ["invoke", "stream"] as const)
      it(`make a full round trip (${way})`, async () => {
        const bound = model().bindTools([weather]);
        const messages: BaseMessage[] = [new HumanMessage("What is the weather in Paris?")];
        const ask = async () =>
          way === "invoke" ? bound.invoke(messages) : collect(await bound.stream(messages));
        const asking = await ask();
        expect(asking.tool_calls).toHaveLength(1);
        messages.push(asking);
        for (const call of asking.tool_calls ?? [])
          messages.push(await weather.invoke({ ...call, type: "tool_call" }));
        const answer = await ask();
        expect(answer.tool_calls).toEqual([]);
        expect(answer.text).toContain("Sunny in Paris");
      });

    it("may have nested schemas with enums and open records", async () => {
      const schema = z.object({
        title: z.string(),
        priority: z.enum(["low", "high"]),
        owner: z.object({ name: z.string() }),
        labels: z.record(z.string(), z.string()),
      });
      const task = tool(async () => "", { name: "create_task", description: "Creates a task", schema });
      const { tool_calls: calls } = await model()
        .bindTools([task], { tool_choice: "create_task" })
        .invoke("Create a task titled Cleanup with high priority, owned by Alice.");
      expect(schema.safeParse(calls?.[0]?.args).error).toBeUndefined();
    });

    it("are called several at once", async () => {
      const { tool_calls: calls } = await model()
        .bindTools([weather, clock])
        .invoke("What is the weather in Paris, and what is the time in Paris?");
      expect(calls?.map(({ name }) => name).sort()).toEqual(["get_time", "get_weather"]);
      expect(new Set(calls?.map(({ id }) => id)).size).toBe(2);
    });

    it("are called several at once in a stream", async () => {
      const bound = model().bindTools([weather, clock]);
      const { tool_calls: calls } = await collect(
        await bound.stream("What is the weather in Paris, and what is the time in Paris?"),
      );
      expect(calls?.map(({ name }) => name).sort()).toEqual(["get_time", "get_weather"]);
    });
  });
}
