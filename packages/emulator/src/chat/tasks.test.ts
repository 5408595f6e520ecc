import { describe, expect, it } from "vitest";
import type { ChatMessage } from "./chat-request.js";
import { composeAnswer } from "./compose-answer.js";
import { readConversation } from "./read-conversation.js";
import { readTask } from "./read-task.js";

const message = (role: ChatMessage["role"], text: string) =>
  ({ role, text, toolCalls: [] }) as unknown as ChatMessage;
const conversationOf = (...texts: string[]) =>
  readConversation(texts.map((text, index) => message(index % 2 === 0 ? "user" : "assistant", text)));
const answer = (...texts: string[]) => composeAnswer(conversationOf(...texts), 1).text;

const MATERIAL =
  "Otters hold hands while they sleep. They eat a quarter of their weight a day. Their fur is the thickest there is.";

describe("a task", () => {
  it.each<[text: string, expected: object]>([
    [`Summarize this:\n\n${MATERIAL}`, { wantsSummary: true, material: MATERIAL }],
    [`${MATERIAL}\n\nSummarize the text above.`, { wantsSummary: true, material: MATERIAL }],
    [`Summarize in two sentences: ${MATERIAL}`, { sentences: 2, material: MATERIAL }],
    [`In a single sentence, please: what is this about?\n\n${MATERIAL}`, { sentences: 1 }],
    [`Give me 3 bullet points.\n\n${MATERIAL}`, { bullets: 3 }],
    [`What do they eat? Answer as a list.\n\n${MATERIAL}`, { bullets: 0 }],
    [`Is it good? Answer yes or no.\n\nText: ${MATERIAL}`, { isYesOrNo: true, material: MATERIAL }],
    [`Classify as spam, order or question.\n\n${MATERIAL}`, { labels: ["spam", "order", "question"] }],
    [
      `Label it as bug report or feature request, and say nothing else in this answer.\n\n${MATERIAL}`,
      { labels: ["bug report", "feature request"] },
    ],
    [
      `Fasse das in drei Stichpunkten zusammen.\n\n${MATERIAL}`,
      { language: "de", bullets: 3, wantsSummary: true },
    ],
    [`Erkläre es in zwei Sätzen.\n\n${MATERIAL}`, { language: "de", sentences: 2 }],
    [
      `Ist das Lob, Tadel oder Frage? Antworte mit einem Wort.\n\n${MATERIAL}`,
      { labels: ["Lob", "Tadel", "Frage"] },
    ],
    [
      "用一句话概括：\n\n水獭睡觉时手牵着手。它们的毛最厚。",
      { language: "zh", sentences: 1, wantsSummary: true },
    ],
    ["请列出三个要点。\n\n水獭睡觉时手牵着手。", { language: "zh", bullets: 3 }],
    ["这是正面、负面还是中性？\n\n水獭很可爱。", { labels: ["正面", "负面", "中性"] }],
    ["Otters hold hands while they sleep.", { material: "", labels: [], wantsSummary: false }],
  ])("is read: %s", (text, expected) => {
    expect(readTask(conversationOf(text))).toMatchObject(expected);
  });
});

it("takes no labels from what is there to look things up in", () => {
  const context =
    "Errors have labels. The key is not in logs, errors, printed clients, redirects or downloads. Five redirects are followed.";
  const conversation = readConversation([
    message("system", `Answer from the context only.\n\nContext:\n${context}`),
    message("user", "How many redirects are followed?"),
  ]);
  expect(readTask(conversation).labels).toEqual([]);
  expect(composeAnswer(conversation, 1).text).toContain("Five redirects");
});

describe("an answer", () => {
  it.each<[what: string, texts: string[], expected: string | RegExp]>([
    [
      "is one sentence where one is asked for",
      [`In one sentence, what is this about?\n\n${MATERIAL}`],
      /^Otters[^.]*\.$/,
    ],
    ["is as many items as are asked for", [`Name two key points.\n\n${MATERIAL}`], /^- .*\n- .*$/],
    [
      "lists what a sentence lists",
      ["What do I need? As a list.\n\nYou need flour, sugar and butter. Mix well."],
      "- You need flour\n- sugar\n- butter",
    ],
    [
      "tells what a text complains of",
      ["In one sentence, what does she complain about?\n\nI came on Monday. My room was dirty. Then I left."],
      "My room was dirty.",
    ],
    [
      "is yes where words speak for it",
      ["Is this urgent? Answer yes or no.\n\nThe server is down right now!"],
      "Yes",
    ],
    [
      "is yes for what is quoted",
      ['Is this spam? "You have won!!! Click here now" Answer yes or no.'],
      "Yes",
    ],
    [
      "sorts what stands behind a colon",
      ["Decide whether this is positive or negative: The plot was boring."],
      /^(?:positive|negative)$/,
    ],
    [
      "sorts by labels behind a stroke",
      ['Text: "I love this product, it works."\nSentiment (positive/negative):'],
      "positive",
    ],
    ["greets in German", ["Hallo!"], /^(?:Hallo|Guten Tag)/],
    ["takes thanks in German", ["Vielen Dank!"], "Gern geschehen!"],
    ["says what it is in Chinese", ["请问你是谁？"], /本地模型/],
    [
      "is no where none does",
      ["Is this urgent? Answer yes or no.\n\nHere are the photos of our trip."],
      "No",
    ],
    [
      "is to each of two questions",
      ["The tea costs 3 euros. The shop opens at 9. What does the tea cost and when does the shop open?"],
      "The tea costs 3 euros. The shop opens at 9.",
    ],
    [
      "is to questions in a row",
      ["茶三元。商店九点开门。茶多少钱？商店几点开门？"],
      "茶三元。 商店九点开门。",
    ],
    [
      "knows what `it` is",
      ["The Kestrel is a bike. Its range is 95 km. It weighs 21 kg. What does the Kestrel weigh?"],
      "It weighs 21 kg.",
    ],
    [
      "finds forms of a word",
      ["Cancellations cost 30 dollars. Parking is free. What do I pay if I cancel?"],
      "Cancellations cost 30 dollars.",
    ],
    [
      "is the last one of a list",
      [
        "We have tea for 2 euros, coffee for 3 euros and juice for 4 euros.",
        "Noted.",
        "How much is the last one?",
      ],
      "juice for 4 euros",
    ],
    [
      "is the first one, too",
      ["Wir haben Tee für 2 Euro, Kaffee für 3 Euro und Saft für 4 Euro.", "Gut.", "Was kostet der erste?"],
      /Tee für 2 Euro/,
    ],
    [
      "goes on from the question before",
      [
        "Context: The Lake hut opens in April. The Alpine hut opens in June.\n\nQuestion: Where is the Lake hut?",
        "I do not know.",
        "When does it open?",
      ],
      "The Lake hut opens in April.",
    ],
    [
      "reads values in lines",
      ["name,room\nIvy,210\nOmar,225\n\nWhich room has Omar?"],
      "name: Omar, room: 225",
    ],
    [
      "keeps German days whole",
      ["Die Rechnung kam am 3. Februar an. Der Betrag ist offen. Wann kam die Rechnung an?"],
      "Die Rechnung kam am 3. Februar an.",
    ],
    [
      "sums up all that is to be reckoned",
      ["What is 15 * 12, and what is 90 / 4?"],
      "15 * 12 = 180\n90 / 4 = 22.5",
    ],
    [
      "is refused in the language of the question",
      ["Kontext: Die Kantine öffnet um elf.\n\nFrage: Wer hat die Firma gegründet?"],
      /enthält keine Antwort/,
    ],
    ["is refused in Chinese as well", ["1998年的冠军是谁？"], /没有通用知识/],
  ])("%s", (_what, texts, expected) => {
    if (typeof expected === "string") expect(answer(...texts)).toBe(expected);
    else expect(answer(...texts)).toMatch(expected);
  });

  it("takes no more work for a text that is made to take some", () => {
    const texts = [
      "who? ",
      "in ",
      "a or ",
      "1, 2; ",
      "Text: ",
      "“ ”",
      "\n \n",
      "a,b,c\n",
      "as as ",
      "图",
      "3. ",
      "是、",
    ];
    for (const piece of texts) {
      const work = (length: number) => {
        const started = process.cpuUsage();
        answer(`Classify as good, bad or fine.\n\n${piece.repeat(length / piece.length)}`);
        answer(`${piece.repeat(length / piece.length)}\n\nSummarize in one sentence.`);
        const { user } = process.cpuUsage(started);
        return user;
      };
      work(4_000);
      // Four times the text is sixteen times the work where it grows by its square; there is room for what else goes on.
      expect(work(80_000) / Math.max(20_000, work(20_000)), piece).toBeLessThan(12);
    }
  });
});
