import type OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { startEmulator } from "../testing/start-emulator.js";

type Message = OpenAI.ChatCompletionMessageParam;

const TOOLS = Object.entries({
  get_weather: ["Get the weather forecast for a city", { city: "The city name" }],
  book_table: ["Reserve a table in a restaurant", { restaurant: "Name of the restaurant" }],
  send_email: [
    "Send an email to a recipient",
    { to: "Email address", subject: "Subject", body: "Text of the email" },
  ],
  search_documents: ["Search the knowledge base for documents", { query: "What to look for" }],
  convert_currency: [
    "Convert an amount of money from one currency to another",
    { from: "ISO code", to: "ISO code" },
  ],
  cancel_order: ["Cancel an order of a customer", { order_id: "Number of the order" }],
  issue_refund: ["Refund an order", { order_id: "Number of the order" }],
  create_reminder: ["Create a reminder for later", { text: "What to be reminded of" }],
  translate_text: [
    "Translate a text into another language",
    { text: "The text", language: "Target language" },
  ],
  calculate: ["Calculate the result of a math expression", { expression: "The expression" }],
  play_music: ["Play a song or an artist", { title: "Title" }],
  delete_file: ["Delete a file", { path: "Path of the file" }],
}).map(
  ([name, [description, properties]]): OpenAI.ChatCompletionFunctionTool => ({
    type: "function",
    function: {
      name,
      description: String(description),
      parameters: {
        type: "object",
        properties: Object.fromEntries(
          Object.entries(properties as object).map(([key, about]) => [
            key,
            { type: "string", description: about },
          ]),
        ),
      },
    },
  }),
);

async function called(messages: Message[], tools = TOOLS): Promise<string[]> {
  const { openai } = await startEmulator();
  const completion = await openai.chat.completions.create({ model: "local-chat", tools, messages });
  return (completion.choices[0]?.message.tool_calls ?? []).map((call) =>
    call.type === "function" ? call.function.name : "",
  );
}

describe("the tool for a request", () => {
  it.each([
    ["Will it rain in Oslo tomorrow?", "get_weather"],
    ["Regnet es morgen in Köln?", "get_weather"],
    ["上海明天会下雨吗？", "get_weather"],
    ["Please reserve a table at Luigi's for two", "book_table"],
    ["Bestell mir bitte einen Tisch bei Luigi", "book_table"],
    ["帮我在海底捞预订一张桌子", "book_table"],
    ["Write an email to tom@example.org saying that I am ill", "send_email"],
    ["Schick tom@example.org eine E-Mail, dass ich krank bin", "send_email"],
    ["给tom@example.org发邮件，内容是我病了", "send_email"],
    ["Look up our travel policy in the documents", "search_documents"],
    ["Suche in den Dokumenten nach der Reiserichtlinie", "search_documents"],
    ["在文档里搜索差旅规定", "search_documents"],
    ["How many euros are 100 dollars?", "convert_currency"],
    ["Wie viel sind 100 Dollar in Euro?", "convert_currency"],
    ["100美元等于多少欧元？", "convert_currency"],
    ["Cancel my order 7781", "cancel_order"],
    ["Storniere bitte meine Bestellung 7781", "cancel_order"],
    ["请取消我的订单7781", "cancel_order"],
    ["I want my money back for order 7781", "issue_refund"],
    ["Ich möchte mein Geld für die Bestellung 7781 zurück", "issue_refund"],
    ["订单7781请退款", "issue_refund"],
    ["Remind me to call mum tomorrow", "create_reminder"],
    ["Erinnere mich morgen an den Zahnarzt", "create_reminder"],
    ["明天提醒我打电话给妈妈", "create_reminder"],
    ["Übersetze „Guten Tag“ ins Englische", "translate_text"],
    ["把“你好”翻译成德语", "translate_text"],
    ["Berechne 17 * 23", "calculate"],
    ["算一下17*23", "calculate"],
    ["Spiele ein Lied von Bach", "play_music"],
    ["播放一首周杰伦的歌曲", "play_music"],
    ["Lösche die Datei alt.txt", "delete_file"],
    ["删除文件 alt.txt", "delete_file"],
  ])("%s: %s", async (content, name) => {
    expect((await called([{ role: "user", content }]))[0]).toBe(name);
  });

  it.each([
    "Thanks a lot, that's all for now!",
    "Perfect, thank you so much for your help.",
    "Vielen Dank, mehr brauche ich nicht.",
    "Super, danke dir!",
    "Guten Morgen!",
    "非常感谢您的帮助，再见！",
    "好的，谢谢",
    "你好",
  ])("is none: %s", async (content) => {
    expect(await called([{ role: "user", content }])).toEqual([]);
  });

  it("is called though the request begins with thanks", async () => {
    expect(await called([{ role: "user", content: "Thanks! Now cancel order 7781." }])).toEqual([
      "cancel_order",
    ]);
  });
});

describe("a conversation that was handed over", () => {
  const transfer = (name: string): OpenAI.ChatCompletionFunctionTool => ({
    type: "function",
    function: {
      name,
      description: `Hand off to ${name.replace(/^transfer_to_/, "")}`,
      parameters: { type: "object", properties: {} },
    },
  });
  const handOver = (request: string, name: string, content: string): Message[] => [
    { role: "user", content: request },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: { name, arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c1", content },
  ];
  const refund = TOOLS.filter(({ function: { name } }) => name === "issue_refund");

  it.each([
    ["I need a refund for order 7781", "Successfully transferred to refund_agent"],
    ["Ich möchte eine Erstattung für Bestellung 7781", '{"assistant": "Refund agent"}'],
    ["订单7781请退款", "Transferred to refund_agent. Adopt persona immediately."],
  ])("is looked at again with the tools of who has it now: %s", async (request, content) => {
    const tools = [transfer("transfer_to_triage_agent"), ...refund];
    expect(await called(handOver(request, "transfer_to_refund_agent", content), tools)).toEqual([
      "issue_refund",
    ]);
  });

  it("is neither handed over again nor served twice", async () => {
    const messages: Message[] = [
      ...handOver("I need a refund for order 7781", "transfer_to_refund_agent", "Transferred"),
      {
        role: "assistant",
        content: null,
        tool_calls: [
          {
            id: "c2",
            type: "function",
            function: { name: "issue_refund", arguments: '{"order_id":"7781"}' },
          },
        ],
      },
      { role: "tool", tool_call_id: "c2", content: "Refunded." },
    ];
    expect(await called(messages, [transfer("transfer_to_refund_agent"), ...refund])).toEqual([]);
  });
});
