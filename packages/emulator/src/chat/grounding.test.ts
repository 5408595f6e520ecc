import { describe, expect, it } from "vitest";
import { startEmulator } from "../testing/start-emulator.js";

const HANDBOOK = `# Leave

Full-time employees receive 25 days of paid vacation per year. Up to 5 unused days carry over until March.

# Equipment

Every engineer gets a laptop and can choose between macOS and Linux.
The laptop is replaced after four years.

## Plans

| Plan | Price per month | Seats |
|---|---|---|
| Starter | $9 | 1 |
| Team | $49 | 10 |

# Offices

The offices are:

- Berlin
- Lisbon
- Toronto

# Support

Q: How do I reach support?
A: Write to help@example.com or call extension 400.`;

const RAG_LAYOUTS: readonly [name: string, prompt: (context: string, question: string) => string][] = [
  [
    "context and question labels",
    (context, question) => `Context:\n${context}\n\nQuestion: ${question}\nAnswer:`,
  ],
  [
    "a question before its context",
    (context, question) =>
      `You are an assistant for question-answering tasks. Use the following pieces of retrieved context to answer the question. If you don't know the answer, just say that you don't know.\nQuestion: ${question} \nContext: ${context} \nAnswer:`,
  ],
  [
    "instructions in one line",
    (context, question) =>
      `Answer the question based only on the following context:\n${context}\n\nQuestion: ${question}`,
  ],
  [
    "separators",
    (context, question) =>
      `Context information is below.\n---------------------\n${context}\n---------------------\nGiven the context information and not prior knowledge, answer the query.\nQuery: ${question}\nAnswer: `,
  ],
  ["tags", (context, question) => `<context>\n${context}\n</context>\n\n<question>${question}</question>`],
  [
    "tags around documents",
    (context, question) => `<documents><document id="1">${context}</document></documents>\n${question}`,
  ],
];

describe("answers from context", () => {
  it.each(RAG_LAYOUTS)("reads %s", async (_, prompt) => {
    const { ask } = await startEmulator();
    const answer = await ask(prompt(HANDBOOK, "How many vacation days do employees get?"));
    expect(answer).toContain("25 days");
    expect(answer).not.toContain("laptop");
  });

  it.each([
    ["When is the laptop replaced?", "after four years"],
    ["What does the Team plan cost?", "$49"],
    ["Where are the offices?", "Lisbon"],
    ["How do I reach support?", "help@example.com"],
    ["How many unused days carry over?", "5 unused days"],
  ])("finds in a Markdown document: %s", async (question, expected) => {
    const { ask } = await startEmulator();
    expect(await ask(`Context:\n${HANDBOOK}\n\nQuestion: ${question}`)).toContain(expected);
  });

  it("says only sentences that it was given", async () => {
    const { ask } = await startEmulator();
    const answer = await ask(`Context:\n${HANDBOOK}\n\nQuestion: How many vacation days do employees get?`);
    for (const sentence of answer.split(/(?<=\.) /)) expect(HANDBOOK).toContain(sentence);
  });

  it.each([
    "Who won the 1998 World Cup?",
    "What does the Enterprise plan cost?",
    "What is the name of the CEO?",
    "What is the boiling point of water?",
  ])("refuses what the context does not hold: %s", async (question) => {
    const { ask } = await startEmulator();
    const answer = await ask(`Context:\n${HANDBOOK}\n\nQuestion: ${question}`);
    expect(answer).toBe(`The provided context does not contain an answer to "${question}".`);
  });

  it("reads a system prompt, without repeating its instructions", async () => {
    const { ask } = await startEmulator();
    const system =
      "You are a helpful shop assistant. Always answer briefly. The shop opens at nine and closes at six.";
    expect(await ask("When does the shop open?", system)).toBe("The shop opens at nine and closes at six.");
  });

  it("reads a context in the system prompt", async () => {
    const { ask } = await startEmulator();
    const answer = await ask(
      "What can engineers choose?",
      `Use the context to answer.\n\nContext:\n${HANDBOOK}`,
    );
    expect(answer).toContain("macOS and Linux");
  });

  it("reads Chinese", async () => {
    const { ask } = await startEmulator();
    const context = "商品签收后三十天内可以退货。退款将在五个工作日内到账。我们的营业时间是早九点到晚六点。";
    expect(await ask(`参考资料：\n${context}\n\n问题：退款多久到账？`)).toContain("五个工作日");
    expect(await ask(`参考资料：\n${context}\n\n问题：总部在哪个城市？`)).toContain("没有关于");
  });

  it("answers a question about text around it", async () => {
    const { ask } = await startEmulator();
    const answer = await ask(
      "The train leaves at 8:40 from platform 3. Bring your ticket. Which platform does the train leave from?",
    );
    expect(answer).toContain("platform 3");
  });

  it("answers a question in front of a text", async () => {
    const { ask } = await startEmulator();
    const article = "Northwind was founded in 1998 by Clara Jensen. It sells kites in 14 countries.";
    expect(await ask(`Given this article, who founded the company?\n\n${article}`)).toContain("Clara Jensen");
  });

  it("keeps quoted sources apart", async () => {
    const { ask } = await startEmulator();
    const system =
      'Source 1 (policy.md):\n"""\nCarry-over ends in March.\n"""\nSource 2 (travel.md):\n"""\nHotels are reimbursed up to 150 EUR per night.\n"""';
    expect(await ask("How much is reimbursed for hotels?", system)).toBe(
      "Hotels are reimbursed up to 150 EUR per night.",
    );
  });

  it("remembers earlier turns", async () => {
    const { openai } = await startEmulator();
    const completion = await openai.chat.completions.create({
      model: "local-chat",
      messages: [
        { role: "user", content: "My name is Ada and my favourite colour is green." },
        { role: "assistant", content: "Nice to meet you." },
        { role: "user", content: "What is my favourite colour?" },
      ],
    });
    expect(completion.choices[0]?.message.content).toContain("green");
  });

  it("does not hang on a very long context", async () => {
    const { ask } = await startEmulator();
    const filler = "The archive holds another page about nothing in particular. ".repeat(5_000);
    const answer = await ask(
      `Context:\n${filler}\nThe vault code is 7391.\n\nQuestion: What is the vault code?`,
    );
    expect(answer).toContain("7391");
  });
});
