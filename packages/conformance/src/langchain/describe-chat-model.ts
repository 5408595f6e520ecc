import { BaseCache, InMemoryCache } from "@langchain/core/caches";
import { AIMessage, AIMessageChunk, HumanMessage, SystemMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createEmulator, type Emulator } from "@model-gateway/emulator";
import { afterAll, beforeAll, expect } from "vitest";
import { Person, weather } from "./contract-tools.js";
import { defineToolCases } from "./define-tool-cases.js";
import { type ContractGateway, type ContractModel, collect, describeContract } from "./describe-contract.js";

/** A chat model under contract. */
export interface ChatModelContract {
  name: string;
  /** Makes the model for a model id of the emulator, with LangChain's standard constructor fields. */
  create(model: string, connection: ContractGateway["connection"], fields?: object): ContractModel;
  /** Cases that this model is known to fail, as `subject promise`. */
  expectedFailures?: readonly string[];
}

const RED_PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

/** What LangChain requires of every chat model, case by case, against the emulator. */
export function describeChatModel({ name, create, expectedFailures = [] }: ChatModelContract): void {
  describeContract(name, expectedFailures, (group) => {
    let emulator: Emulator;
    let connection: ContractGateway["connection"];
    let shared: ContractModel;
    beforeAll(async () => {
      emulator = await createEmulator({ seed: 1 }).listen({ port: 0 });
      connection = { apiKey: "sk-emulator", baseURL: emulator.url };
      shared = create("local-chat", connection);
    });
    afterAll(() => emulator.close());
    const model = () => shared;

    group("without a request", (it) => {
      const standard = { temperature: 0, maxTokens: 100, timeout: 60, stopSequences: [], maxRetries: 2 };
      const made = (fields: object = {}) =>
        create("local-chat", { apiKey: "test", baseURL: connection.baseURL }, { ...standard, ...fields });

      it("is made from the standard settings", () => {
        expect(made().lc_serializable).toBe(true);
      });

      it("is made with a key", () => {
        expect(made({ apiKey: "another" })).toBeDefined();
      });

      it("is made with streaming on", () => {
        expect(made({ streaming: true })).toBeDefined();
      });

      it("binds tools", () => {
        const person = tool(async () => "", {
          name: "person",
          description: "Notes a person",
          schema: Person,
        });
        expect(made().bindTools([person])).toBeDefined();
      });

      it("makes a structured output runnable", () => {
        expect(made().withStructuredOutput(Person)).toBeDefined();
      });

      it("tells tracers all standard parameters, set or not", () => {
        const expected = [
          "ls_max_tokens",
          "ls_model_name",
          "ls_model_type",
          "ls_provider",
          "ls_stop",
          "ls_temperature",
        ];
        expect(Object.keys(made().getLsParams({} as never)).sort()).toEqual(expected);
        expect(Object.keys(model().getLsParams({} as never)).sort()).toEqual(expected);
      });

      it("rejects invoke with an aborted signal", async () => {
        await expect(made().invoke("Hi", { signal: AbortSignal.abort() })).rejects.toThrow();
      });

      it("gives no chunk for stream with an aborted signal", async () => {
        let chunks = 0;
        await expect(async () => {
          for await (const _chunk of await made().stream("Hi", { signal: AbortSignal.abort() })) chunks++;
        }).rejects.toThrow();
        expect(chunks).toBe(0);
      });
    });

    group("text", (it) => {
      it("invokes", async () => {
        const message = await model().invoke("Hello");
        expect(AIMessage.isInstance(message)).toBe(true);
        expect(typeof message.content).toBe("string");
        expect(message.content).not.toBe("");
      });

      it("streams", async () => {
        const chunks: AIMessageChunk[] = [];
        for await (const chunk of await model().stream("Hello")) chunks.push(chunk);
        expect(chunks.length).toBeGreaterThan(1);
        expect(
          chunks.every((chunk) => AIMessageChunk.isInstance(chunk) && typeof chunk.content === "string"),
        ).toBe(true);
        expect(chunks.map(({ text }) => text).join("")).not.toBe("");
      });

      it("answers a batch", async () => {
        const answers = await model().batch(["Hello", "Hey"]);
        expect(answers).toHaveLength(2);
        expect(answers.every((answer) => AIMessage.isInstance(answer) && answer.text !== "")).toBe(true);
      });

      it("takes a conversation", async () => {
        const answer = await model().invoke([
          new HumanMessage("Hello"),
          new AIMessage("Hello"),
          new HumanMessage("What is 1+1?"),
        ]);
        expect(answer.text).toContain("2");
      });

      it("takes a conversation of two questions in a row and a system message", async () => {
        const answer = await model().invoke([
          new SystemMessage("Be brief."),
          new HumanMessage("Hello"),
          new HumanMessage("What is 1+1?"),
        ]);
        expect(answer.text).not.toBe("");
      });

      it("emits content-block events", async () => {
        const kinds: string[] = [];
        for await (const { event } of model().streamEvents("Hello")) kinds.push(event);
        expect(kinds[0]).toBe("message-start");
        expect(kinds).toContain("content-block-delta");
        expect(kinds.at(-1)).toBe("message-finish");
      });

      it("stops at a stop sequence", async () => {
        const whole = (await model().invoke("What is 6*7?")).text;
        const stopped = await model().invoke("What is 6*7?", { stop: ["="] });
        expect(whole).toContain("=");
        expect(stopped.text).not.toContain("=");
      });
    });

    group("usage", (it) => {
      it("is on an invoked message", async () => {
        const { usage_metadata: usage, response_metadata: metadata } = await model().invoke("Hello");
        expect(usage?.input_tokens).toBeGreaterThan(0);
        expect(usage?.output_tokens).toBeGreaterThan(0);
        expect(usage?.total_tokens).toBe((usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0));
        expect(metadata["model"]).toBe("local-chat");
      });

      it("is on the last chunk of a stream, once", async () => {
        const chunks: AIMessageChunk[] = [];
        for await (const chunk of await model().stream("Hello")) chunks.push(chunk);
        expect(chunks.filter(({ usage_metadata: usage }) => usage !== undefined)).toEqual([chunks.at(-1)]);
        const whole = await collect(await model().stream("Hello"));
        expect(whole.usage_metadata).toEqual((await model().invoke("Hello")).usage_metadata);
        expect(whole.response_metadata["model"]).toBe("local-chat");
      });
    });

    group("standard content blocks", (it) => {
      it("of text", async () => {
        expect(
          (await model().invoke([new HumanMessage({ content: [{ type: "text", text: "What is 1+1?" }] })]))
            .text,
        ).toContain("2");
      });

      const images: Record<string, object> = {
        "an address": { source_type: "url", url: "https://images.example/red.png" },
        Base64: { source_type: "base64", mime_type: "image/png", data: RED_PIXEL },
        "a data URL": { source_type: "url", url: `data:image/png;base64,${RED_PIXEL}` },
      };
      for (const [kind, source] of Object.entries(images)) {
        it(`of an image by ${kind}`, async () => {
          const content = [
            { type: "text", text: "Describe this image." },
            { type: "image", ...source },
          ];
          expect((await model().invoke([new HumanMessage({ content })])).text).not.toBe("");
        });
      }

      it("of audio and files are sent or refused, and never dropped", async () => {
        for (const type of ["audio", "file"]) {
          const data = "QUFBQQ==";
          const block = {
            type,
            source_type: "base64",
            mime_type: type === "audio" ? "audio/wav" : "application/pdf",
            data,
          };
          emulator.journal.clear();
          const refused = await model()
            .invoke([new HumanMessage({ content: [block] })])
            .then(
              () => false,
              () => true,
            );
          const sent = JSON.stringify(emulator.journal.list().map(({ body }) => body));
          expect(sent.includes(data) || (refused && sent === "[]")).toBe(true);
        }
      });
    });

    group("answers", (it) => {
      it("hold the model's reasoning as a block, invoked and streamed", async () => {
        const reasoner = create("local-reasoner", connection);
        for (const message of [
          await reasoner.invoke("What is 6*7?"),
          await collect(await reasoner.stream("What is 6*7?")),
        ]) {
          expect(message.contentBlocks.map(({ type }) => type)).toEqual(["reasoning", "text"]);
        }
      });

      it("hold images as blocks", async () => {
        const message = await create("local-chat-image", connection).invoke("A red fox");
        expect(message.contentBlocks.map(({ type }) => type)).toContain("image");
      });
    });

    group("retries", (it) => {
      it("are as many as the call says", async () => {
        emulator.faults.add({ kind: "status", status: 500, path: "/chat/completions", times: 1 });
        try {
          emulator.journal.clear();
          await expect(model().invoke("Hello", { maxRetries: 0 })).rejects.toThrow();
          expect(emulator.journal.list()).toHaveLength(1);
        } finally {
          emulator.faults.clear();
        }
      });
    });

    group("the cache", (it) => {
      it("keeps messages with all their parts", async () => {
        const cached = create("local-chat", connection, { cache: new InMemoryCache(new Map()) });
        const bound = cached.bindTools([weather]);
        const input = [
          new HumanMessage({ content: [{ type: "text", text: "What is the weather in Paris?" }] }),
        ];
        const first = await bound.invoke(input);
        emulator.journal.clear();
        const second = await bound.invoke(input);
        expect(emulator.journal.list()).toEqual([]);
        expect(second.tool_calls).toEqual(first.tool_calls);
        expect(second.contentBlocks).toEqual(first.contentBlocks);
        expect(second.response_metadata).toEqual(first.response_metadata);
      });

      it("tells models apart", async () => {
        const cache = new InMemoryCache(new Map());
        await create("local-chat", connection, { cache }).invoke("Hello");
        emulator.journal.clear();
        await create("local-reasoner", connection, { cache }).invoke("Hello");
        expect(emulator.journal.list()).toHaveLength(1);
      });

      it("holds no key", async () => {
        const entries = new Map();
        await create("local-chat", connection, { cache: new KeptCache(entries) }).invoke("Hello");
        expect(JSON.stringify([...entries])).not.toContain(connection.apiKey);
      });
    });

    defineToolCases(group, model);
  });
}

/** A cache that shows under which keys it was written to. */
class KeptCache extends BaseCache {
  constructor(private readonly entries: Map<string, unknown>) {
    super();
  }

  async lookup(): Promise<null> {
    return null;
  }

  async update(prompt: string, key: string, value: unknown): Promise<void> {
    this.entries.set(`${prompt} ${key}`, value);
  }
}
