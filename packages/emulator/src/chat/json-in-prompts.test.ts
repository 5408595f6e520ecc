import { describe, expect, it } from "vitest";
import { startEmulator } from "../testing/start-emulator.js";

async function answer(content: string, system?: string): Promise<string> {
  const { openai, emulator } = await startEmulator();
  await emulator.clock.set(Date.UTC(2026, 2, 2, 9));
  const completion = await openai.chat.completions.create({
    model: "local-chat",
    messages: [
      ...(system === undefined ? [] : [{ role: "system" as const, content: system }]),
      { role: "user", content },
    ],
  });
  return completion.choices[0]?.message.content ?? "";
}

describe("JSON that a prompt asks for", () => {
  it.each<[string, unknown]>([
    [
      'Return JSON like {"name": string, "age": number}.\n\nBob Smith is 41 years old.',
      { name: "Bob Smith", age: 41 },
    ],
    [
      "Answer with JSON in this format: {'name': '<full name>', 'age': <age>}\n\nBob Smith is 41 years old.",
      { name: "Bob Smith", age: 41 },
    ],
    [
      'Extract as JSON:\n{\n  "name": "...", // the person\n  "email": "..."\n}\n\nWrite to Bob Smith at bob@example.org.',
      { name: "Bob Smith", email: "bob@example.org" },
    ],
    [
      'Output JSON: {"sentiment": "positive" | "negative", "stars": number}. Review: Terrible food, 1 star.',
      { sentiment: "negative", stars: 1 },
    ],
    [
      "Give me JSON with the fields invoice_number, total and due_date: Invoice 2041, total 1,250.00 EUR, due on 17 February 2026.",
      { invoice_number: "2041", total: 1250, due_date: "2026-02-17" },
    ],
    [
      "Extract name, city and age as JSON: Maria Lopez, 34 years old, lives in Porto.",
      { name: "Maria Lopez", city: "Porto", age: 34 },
    ],
    [
      "List the countries as a JSON array: We drove from France through Italy to Croatia.",
      ["France", "Italy", "Croatia"],
    ],
    ["Put all numbers into a JSON array of numbers: we sold 12 lamps, 7 chairs and 3 desks.", [12, 7, 3]],
    [
      "Give the names as a JSON array of strings: Anna Berg and Tom Reed met Li Wei.",
      ["Anna Berg", "Tom Reed", "Li Wei"],
    ],
    [
      "Antworte nur mit JSON mit den Feldern name, alter und ort: Jonas Weber, 29 Jahre alt, wohnt in Graz.",
      { name: "Jonas Weber", alter: 29, ort: "Graz" },
    ],
    [
      'Gib JSON zurück, etwa {"firma": "...", "betrag": number}: Die Nordwind GmbH schuldet uns 1.250,50 Euro.',
      { firma: "Nordwind GmbH", betrag: 1250.5 },
    ],
    [
      "Extrahiere Produkt und Menge als JSON: Wir bestellen 20 Kartons Druckerpapier.",
      { Produkt: "Druckerpapier", Menge: 20 },
    ],
    [
      "Nenne alle Länder als JSON-Array: Wir fuhren von Frankreich über Italien nach Kroatien.",
      ["Frankreich", "Italien", "Kroatien"],
    ],
    [
      "Gib Titel, Autor und Jahr als JSON aus. Titel: Der Prozess, Autor: Franz Kafka, Jahr: 1925",
      { Titel: "Der Prozess", Autor: "Franz Kafka", Jahr: 1925 },
    ],
    [
      "返回JSON，字段为姓名、年龄、城市。\n\n王芳今年28岁，住在苏州。",
      { 姓名: "王芳", 年龄: 28, 城市: "苏州" },
    ],
    [
      '请输出JSON，格式如下：{"产品": "...", "数量": 数字}。\n\n我要订购30箱苹果。',
      { 产品: "苹果", 数量: 30 },
    ],
    [
      "提取姓名和邮箱，以JSON格式返回：请联系李明，邮箱是liming@example.org。",
      { 姓名: "李明", 邮箱: "liming@example.org" },
    ],
    ["把所有国家以JSON数组列出：我们从法国经意大利到克罗地亚。", ["法国", "意大利", "克罗地亚"]],
  ])("%s", async (content, expected) => {
    expect(JSON.parse(await answer(content))).toEqual(expected);
  });

  it("may be asked for by the system", async () => {
    const system = "You extract people. Respond only with JSON with the keys name and age.";
    expect(JSON.parse(await answer("Bob Smith is 41 years old.", system))).toEqual({
      name: "Bob Smith",
      age: 41,
    });
  });

  it.each([
    "How do I parse JSON in Python?",
    "What is JSON?",
    "Was ist JSON?",
    "什么是JSON？",
    "Write a function that returns JSON.",
    'The answer was {"name": "Bob"}. What does it say?',
  ])("is not what is wanted by: %s", async (content) => {
    expect(await answer(content)).not.toMatch(/^[{[]/);
  });

  it.each(["{", "[", '{"a":', "{'", '{"a":"<', "//", '{"a":1,', "json with the keys a, ", "JSON: {a|", "/*"])(
    "is looked for in %j over and over to an end",
    async (piece) => {
      expect(await answer(`Return JSON only.\n${piece.repeat(3_000)}`)).not.toBe("");
    },
  );
});
