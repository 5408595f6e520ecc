import { MemoryVectorStore } from "@langchain/classic/vectorstores/memory";
import { Document } from "@langchain/core/documents";
import { StringOutputParser } from "@langchain/core/output_parsers";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import { RunnableParallel, RunnablePassthrough, RunnableSequence } from "@langchain/core/runnables";
import { createEmulator, type Emulator } from "@model-gateway/emulator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ChatModelGateway, ModelGatewayEmbeddings } from "./index.js";

let emulator: Emulator;
let model: ChatModelGateway;
let connection: { apiKey: string; baseURL: string };
beforeAll(async () => {
  emulator = await createEmulator({ seed: 1 }).listen({ port: 0 });
  connection = { apiKey: "sk-emulator", baseURL: emulator.url };
  model = new ChatModelGateway("local-chat", connection);
});
afterAll(() => emulator.close());

describe("chains", () => {
  const calculate = ChatPromptTemplate.fromMessages([
    ["system", "You are a calculator."],
    ["human", "What is {expression}?"],
  ]);

  it("pipe a prompt through the model into a parser, whole and streamed", async () => {
    const chain = calculate.pipe(model).pipe(new StringOutputParser());
    expect(await chain.invoke({ expression: "6*7" })).toContain("42");
    let streamed = "";
    for await (const piece of await chain.stream({ expression: "6*7" })) streamed += piece;
    expect(streamed).toContain("42");
  });

  it("run several models side by side", async () => {
    const parser = new StringOutputParser();
    const both = RunnableParallel.from({
      sum: ChatPromptTemplate.fromTemplate("What is {a}+{b}?").pipe(model).pipe(parser),
      product: ChatPromptTemplate.fromTemplate("What is {a}*{b}?").pipe(model).pipe(parser),
    });
    const { sum, product } = await both.invoke({ a: 3, b: 5 });
    expect(sum).toContain("8");
    expect(product).toContain("15");
  });

  it("answer a batch in order", async () => {
    const answers = await model.batch(["What is 1+1?", "What is 2+2?", "What is 3+3?"]);
    expect(answers.map(({ text }) => text.at(-1))).toEqual(["2", "4", "6"]);
  });

  it("report their steps to streamEvents", async () => {
    const chain = calculate.pipe(model).pipe(new StringOutputParser());
    const names = new Set<string>();
    let streamed = "";
    for await (const { event, data } of chain.streamEvents({ expression: "6*7" }, { version: "v2" })) {
      names.add(event);
      if (event === "on_chat_model_stream") streamed += data.chunk.text;
    }
    expect(streamed).toContain("42");
    expect([...names]).toEqual(
      expect.arrayContaining(["on_chat_model_start", "on_chat_model_end", "on_parser_end"]),
    );
  });

  it("fall back to another model", async () => {
    const missing = new ChatModelGateway("no-such-model", connection);
    const answer = await missing.withFallbacks([model]).invoke("What is 6*7?");
    expect(answer.text).toContain("42");
  });
});

describe("retrieval", () => {
  it("finds the passage and answers from it", async () => {
    const store = await MemoryVectorStore.fromDocuments(
      [
        new Document({
          pageContent: "The Zenith library opens at nine in the morning on weekdays.",
          metadata: { id: 1 },
        }),
        new Document({
          pageContent: "Sourdough bread needs flour, water, salt and a starter.",
          metadata: { id: 2 },
        }),
        new Document({ pageContent: "The harbour ferry leaves every twenty minutes.", metadata: { id: 3 } }),
      ],
      new ModelGatewayEmbeddings("local-embedding", connection),
    );
    const retriever = store.asRetriever(1);
    const [found] = await retriever.invoke("When does the library open?");
    expect(found?.metadata).toEqual({ id: 1 });

    const chain = RunnableSequence.from([
      {
        context: retriever.pipe((documents) => documents.map(({ pageContent }) => pageContent).join("\n\n")),
        question: new RunnablePassthrough<string>(),
      },
      ChatPromptTemplate.fromMessages([
        ["system", "Answer from the context only.\n\nContext:\n{context}"],
        ["human", "{question}"],
      ]),
      model,
      new StringOutputParser(),
    ]);
    expect(await chain.invoke("When does the Zenith library open?")).toContain("nine in the morning");
  });
});
