import { describe, expect, it } from "vitest";
import { fillSchema } from "./fill-schema.js";
import { TextSource } from "./text-source.js";

const MONDAY = Date.UTC(2026, 2, 2, 9);
const text = { type: "string" };
const number = { type: "number" };
const integer = { type: "integer" };
const boolean = { type: "boolean" };
const date = { type: "string", format: "date" };
const instant = { type: "string", format: "date-time" };

type Case = [request: string, properties: Record<string, unknown>, expected: Record<string, unknown>];

/** The arguments of a tool of which none is required. */
function argumentsOf(request: string, properties: Record<string, unknown>, required: string[] = []): unknown {
  const source = new TextSource(request, { now: MONDAY, answer: () => request, isRequest: true });
  return fillSchema({ type: "object", properties, required }, source).value;
}

describe("days and times as arguments", () => {
  it.each<Case>([
    [
      "Rent me a car from May 3 until May 9",
      { start_date: date, end_date: date },
      { start_date: "2026-05-03", end_date: "2026-05-09" },
    ],
    [
      "Hotel in Rome, checking out on May 9, checking in on May 3",
      { check_in: date, check_out: date },
      { check_in: "2026-05-03", check_out: "2026-05-09" },
    ],
    [
      "Fly to Oslo on Friday, back on Sunday",
      { departure_date: text, return_date: text },
      { departure_date: "2026-03-06", return_date: "2026-03-08" },
    ],
    [
      "Flug nach Oslo am 12. Mai, Rückflug am 15. Mai",
      { departure_date: date, return_date: date },
      { departure_date: "2026-05-12", return_date: "2026-05-15" },
    ],
    [
      "Zimmer vom 3. bis 7. Mai, bitte",
      { anreise: date, abreise: date },
      { anreise: "2026-05-03", abreise: "2026-05-07" },
    ],
    [
      "5月3日入住，5月7日退房",
      { check_out: date, check_in: date },
      { check_in: "2026-05-03", check_out: "2026-05-07" },
    ],
    [
      "4月12日从慕尼黑到里斯本，4月19日返回",
      { departure_date: date, return_date: date },
      { departure_date: "2026-04-12", return_date: "2026-04-19" },
    ],
    [
      "从3月10日到3月12日请假",
      { start_date: date, end_date: date },
      { start_date: "2026-03-10", end_date: "2026-03-12" },
    ],
    ["Remind me in two hours to stretch", { at: instant }, { at: "2026-03-02T11:00:00Z" }],
    ["Erinnere mich übermorgen um 19 Uhr", { when: instant }, { when: "2026-03-04T19:00:00Z" }],
    ["两小时后提醒我", { time: instant }, { time: "2026-03-02T11:00:00Z" }],
    [
      "Meeting on Friday from 2 pm until 4 pm",
      { start: instant, end: instant },
      { start: "2026-03-06T14:00:00Z", end: "2026-03-06T16:00:00Z" },
    ],
    ["At 7 pm a table for tomorrow", { time: instant }, { time: "2026-03-03T19:00:00Z" }],
    ["Set the alarm for 6:45", { time: { type: "string", format: "time" } }, { time: "06:45:00Z" }],
    ["Stell den Wecker auf 6:45 Uhr", { time: text }, { time: "6:45" }],
    ["Move the call to Friday at 3pm", { date, time: text }, { date: "2026-03-06", time: "3pm" }],
    [
      "Verschieb den Termin auf Freitag um 15 Uhr",
      { datum: text, uhrzeit: text },
      { datum: "2026-03-06", uhrzeit: "15:00" },
    ],
    ["把会议改到周五下午三点", { 日期: text, 时间: text }, { 日期: "2026-03-06", 时间: "15:00" }],
    ["What's the weather in Paris?", { city: text, date }, { city: "Paris" }],
    ["Submit it by the end of the month", { deadline: date }, { deadline: "2026-03-31" }],
    ["Bitte bis Ende des Monats abgeben", { deadline: date }, { deadline: "2026-03-31" }],
    ["月底前交", { deadline: date }, { deadline: "2026-03-31" }],
    [
      "Invoice of 3 February 2026, payable by 17 February 2026",
      { due_date: date, invoice_date: date },
      { invoice_date: "2026-02-03", due_date: "2026-02-17" },
    ],
    [
      "Rechnung vom 3. Februar 2026, fällig am 17. Februar 2026",
      { rechnungsdatum: date, fälligkeitsdatum: date },
      { rechnungsdatum: "2026-02-03", fälligkeitsdatum: "2026-02-17" },
    ],
    [
      "Born on 3 May 1990, hired on 1 April 2020",
      { hire_date: date, birth_date: date },
      { birth_date: "1990-05-03", hire_date: "2020-04-01" },
    ],
  ])("%s", (request, properties, expected) => {
    expect(argumentsOf(request, properties)).toEqual(expected);
  });

  it("of a nullable day, too", () => {
    const nullable = { anyOf: [date, { type: "null" }] };
    expect(argumentsOf("From May 3 to May 9", { start: nullable, end: nullable }, ["start", "end"])).toEqual({
      start: "2026-05-03",
      end: "2026-05-09",
    });
    expect(argumentsOf("From May 3 on", { start: nullable, end: nullable }, ["start", "end"])).toEqual({
      start: "2026-05-03",
      end: null,
    });
  });

  it("are today where a request has to tell and does not", () => {
    expect(argumentsOf("Hotel in Porto", { city: text, check_in: date }, ["city", "check_in"])).toEqual({
      city: "Porto",
      check_in: "2026-03-02",
    });
  });
});

describe("numbers as arguments", () => {
  it.each<Case>([
    ["A table for four at eight", { guests: integer }, { guests: 4 }],
    ["Ein Tisch für vier Personen", { guests: integer }, { guests: 4 }],
    ["订四个人的位子", { guests: integer }, { guests: 4 }],
    ["二十五个客人", { guests: integer }, { guests: 25 }],
    ["Fünfundzwanzig Gäste", { guests: integer }, { guests: 25 }],
    ["Two nights for three people", { guests: integer, nights: integer }, { guests: 3, nights: 2 }],
    ["Drei Nächte für zwei Personen", { guests: integer, nights: integer }, { guests: 2, nights: 3 }],
    ["住三晚，两个人", { guests: integer, nights: integer }, { guests: 2, nights: 3 }],
    ["A hotel in Rome for 80 euros", { nights: integer }, {}],
    ["Set a timer for two hours", { minutes: integer }, { minutes: 120 }],
    [
      "Stell einen Timer auf 90 Sekunden",
      { duration: { ...number, description: "In minutes" } },
      { duration: 1.5 },
    ],
    ["定时半小时太短，四十五分钟吧", { minutes: integer }, { minutes: 45 }],
    ["Pay 1,250.50 dollars", { amount: number }, { amount: 1250.5 }],
    ["Überweise 1.250,50 Euro", { amount: number }, { amount: 1250.5 }],
    ["Überweise 1.250 Euro an die Bank", { amount: number }, { amount: 1250 }],
    ["转账三千五百元", { amount: number }, { amount: 3500 }],
    ["付款2万元", { amount: number }, { amount: 20000 }],
    [
      "Order 12 boxes of pens for 30 dollars",
      { quantity: integer, price: number },
      { quantity: 12, price: 30 },
    ],
    [
      "Bestelle 12 Kartons Stifte für 30 Euro",
      { quantity: integer, price: number },
      { quantity: 12, price: 30 },
    ],
    ["订购12盒铅笔，30元", { quantity: integer, price: number }, { quantity: 12, price: 30 }],
    ["Refund order 5512", { order_id: text, amount: number }, { order_id: "5512" }],
    ["Bitte Bestellung 5512 erstatten", { order_id: text, amount: number }, { order_id: "5512" }],
    ["请退款，订单5512", { order_id: text, amount: number }, { order_id: "5512" }],
  ])("%s", (request, properties, expected) => {
    expect(argumentsOf(request, properties)).toEqual(expected);
  });
});

describe("currencies, languages and choices as arguments", () => {
  const pair = {
    amount: number,
    from: { ...text, description: "ISO 4217 code" },
    to: { ...text, description: "ISO 4217 code" },
  };
  const price = { enum: ["low", "medium", "high"] };
  const unit = { enum: ["celsius", "fahrenheit"] };

  it.each<Case>([
    ["How many euros do I get for 100 pounds?", pair, { amount: 100, from: "GBP", to: "EUR" }],
    ["Wie viel sind 80 Franken in Euro?", pair, { amount: 80, from: "CHF", to: "EUR" }],
    ["一百美元能换多少人民币？", pair, { amount: 100, from: "USD", to: "CNY" }],
    ["Wie viel sind zwanzig Pfund in Franken?", pair, { amount: 20, from: "GBP", to: "CHF" }],
    ["Convert half a million yen to dollars", pair, { amount: 500000, from: "JPY", to: "USD" }],
    ["What is $5 in yen?", pair, { amount: 5, from: "USD", to: "JPY" }],
    ["Ein günstiges Hotel in Köln", { price }, { price: "low" }],
    ["找一家便宜的酒店", { price }, { price: "low" }],
    ["A luxury hotel", { price }, { price: "high" }],
    ["Ein Hotel der Mittelklasse", { price }, { price: "medium" }],
    ["Weather in °C", { unit }, { unit: "celsius" }],
    ["用华氏度告诉我", { unit }, { unit: "fahrenheit" }],
    ["Fly business class", { cabin: { enum: ["economy", "business", "first"] } }, { cabin: "business" }],
    ["Ein Flug hin und zurück", { trip: { enum: ["one_way", "round_trip"] } }, { trip: "round_trip" }],
    ["单程票", { trip: { enum: ["one_way", "round_trip"] } }, { trip: "one_way" }],
    ["Mach das Licht aus: ausschalten", { state: { enum: ["on", "off"] } }, { state: "off" }],
    ["把灯打开", { state: { enum: ["on", "off"] } }, { state: "on" }],
    ["Ein großer Kaffee", { size: { enum: ["small", "medium", "large"] } }, { size: "large" }],
    ["Das eilt nicht, keine Eile", { priority: { enum: ["low", "high"] } }, { priority: "low" }],
    [
      "Translate 'good morning' into German",
      { target_language: text, text },
      { target_language: "German", text: "good morning" },
    ],
    [
      "Übersetze „guten Morgen“ ins Englische",
      { target_language: { enum: ["en", "de", "zh"] }, text },
      { target_language: "en", text: "guten Morgen" },
    ],
    ["把“早上好”翻译成英语", { target_language: text, text }, { target_language: "英语", text: "早上好" }],
  ])("%s", (request, properties, expected) => {
    expect(argumentsOf(request, properties)).toEqual(expected);
  });
});

describe("yes and no as arguments", () => {
  it.each<Case>([
    ["Send it with express delivery", { express: boolean }, { express: true }],
    ["Bitte per Express", { express: boolean }, { express: true }],
    ["要加急配送", { express: boolean }, { express: true }],
    ["Ohne Frühstück, bitte", { breakfast: boolean }, { breakfast: false }],
    ["Mit Frühstück, bitte", { breakfast: boolean }, { breakfast: true }],
    ["不要早餐", { breakfast: boolean }, { breakfast: false }],
    ["含早餐", { breakfast: boolean }, { breakfast: true }],
    ["Without breakfast", { include_breakfast: boolean }, { include_breakfast: false }],
    ["This is urgent", { urgent: boolean }, { urgent: true }],
    ["Das ist dringend", { urgent: boolean }, { urgent: true }],
    ["Book a room", { breakfast: boolean }, {}],
  ])("%s", (request, properties, expected) => {
    expect(argumentsOf(request, properties)).toEqual(expected);
  });
});

describe("names and places as arguments", () => {
  it.each<Case>([
    ["Reserve a table at Mario's for tonight", { restaurant: text }, { restaurant: "Mario's" }],
    ["Einen Tisch im Restaurant Adler für morgen", { restaurant: text }, { restaurant: "Adler" }],
    ["帮我在全聚德订个位子", { restaurant: text }, { restaurant: "全聚德" }],
    [
      "Flight from Boston to San Diego",
      { origin: text, destination: text },
      { origin: "Boston", destination: "San Diego" },
    ],
    ["Flug von Köln nach Wien", { origin: text, destination: text }, { origin: "Köln", destination: "Wien" }],
    ["从北京飞往成都的机票", { origin: text, destination: text }, { origin: "北京", destination: "成都" }],
    [
      "Fly from Wedel to Buxtehude",
      { origin: text, destination: text },
      { origin: "Wedel", destination: "Buxtehude" },
    ],
    ["Wie ist das Wetter in Buxtehude?", { city: text }, { city: "Buxtehude" }],
    ["石门的天气怎么样", { city: text }, { city: "石门" }],
    ["What attractions should I visit?", { city: text }, {}],
    ["Call Hannah Weber\nCity: Bonn", { name: text, city: text }, { name: "Hannah Weber", city: "Bonn" }],
    [
      "Add the contact Hannah Weber, phone 030 1234567",
      { name: text, phone: text },
      { name: "Hannah Weber", phone: "030 1234567" },
    ],
    [
      "Lege den Kontakt Hannah Weber an, Telefon 030 1234567",
      { name: text, phone: text },
      { name: "Hannah Weber", phone: "030 1234567" },
    ],
    ["添加联系人王芳，电话13812345678", { name: text, phone: text }, { name: "王芳", phone: "13812345678" }],
    ["Send it to 12 Elm Street", { address: text }, { address: "12 Elm Street" }],
    ["Liefert es in die Ulmenstraße 12", { address: text }, { address: "Ulmenstraße 12" }],
  ])("%s", (request, properties, expected) => {
    expect(argumentsOf(request, properties)).toEqual(expected);
  });
});

describe("texts as arguments", () => {
  const mail = { to: { type: "string", format: "email" }, subject: text, body: text };

  it.each<Case>([
    [
      "Email tom@example.org with the subject Invoice saying that it is paid.",
      mail,
      { to: "tom@example.org", subject: "Invoice", body: "it is paid" },
    ],
    [
      "Schick tom@example.org eine Mail mit dem Betreff „Rechnung“ und dem Text „Sie ist bezahlt“.",
      mail,
      { to: "tom@example.org", subject: "Rechnung", body: "Sie ist bezahlt" },
    ],
    [
      "Mail an tom@example.org, Betreff: Urlaub, dass ich morgen frei habe.",
      mail,
      { to: "tom@example.org", subject: "Urlaub", body: "ich habe morgen frei" },
    ],
    [
      "给tom@example.org写邮件，主题为发票，内容为“已经付款”。",
      mail,
      { to: "tom@example.org", subject: "发票", body: "已经付款" },
    ],
    [
      "Write to tom@example.org about the delayed delivery and tell him that it arrives soon.",
      mail,
      { to: "tom@example.org", subject: "the delayed delivery", body: "it arrives soon" },
    ],
    [
      "发邮件给tom@example.org，主题：报告，内容：已经完成。",
      mail,
      { to: "tom@example.org", subject: "报告", body: "已经完成" },
    ],
    ["Search the handbook for parental leave, please", { query: text }, { query: "parental leave" }],
    ["Search the handbook for vacation days", { query: text }, { query: "vacation days" }],
    [
      "What does the manual say about cleaning the filter?",
      { query: text },
      { query: "cleaning the filter" },
    ],
    ["Suche im Handbuch nach Urlaubstagen", { query: text }, { query: "Urlaubstagen" }],
    ["Was steht im Handbuch zu Dienstreisen?", { query: text }, { query: "Dienstreisen" }],
    ["在手册里查找年假", { query: text }, { query: "年假" }],
    ["搜索一下关于差旅的规定", { query: text }, { query: "差旅" }],
    ["Calculate 15% of 240", { expression: text }, { expression: "15% of 240" }],
    [
      "Could you send a message to Tom that the meeting is on Friday?",
      { message: text },
      { message: "the meeting is on Friday" },
    ],
    [
      "Schedule my dentist appointment tomorrow at 3:30 in the afternoon",
      { title: text, start: instant },
      { title: "dentist appointment", start: "2026-03-03T15:30:00Z" },
    ],
    [
      "Plane am Donnerstag um 14:30 Uhr ein Treffen mit Frau Kern über das Budget",
      { title: text, attendees: { type: "array", items: text }, topic: text },
      { title: "Treffen", attendees: ["Kern"], topic: "das Budget" },
    ],
    [
      "下周二上午十点和王芳开会讨论预算",
      { attendees: { type: "array", items: text }, topic: text },
      { attendees: ["王芳"], topic: "预算" },
    ],
    [
      "Add milk, eggs and bread to my shopping list",
      { items: { type: "array", items: text } },
      { items: ["milk", "eggs", "bread"] },
    ],
    [
      "Setze Milch, Eier und Brot auf die Einkaufsliste",
      { items: { type: "array", items: text } },
      { items: ["Milch", "Eier", "Brot"] },
    ],
    [
      "把牛奶、鸡蛋和面包加到购物清单",
      { items: { type: "array", items: text } },
      { items: ["牛奶", "鸡蛋", "面包"] },
    ],
    [
      "给王芳转账50欧元",
      { recipient: text, amount: number, currency: text },
      { recipient: "王芳", amount: 50, currency: "EUR" },
    ],
    ["Read the file src/app/main.ts", { path: text }, { path: "src/app/main.ts" }],
    ["Lies die Datei notizen.txt.", { filepath: text }, { filepath: "notizen.txt" }],
    ["打开文件 /tmp/a.csv", { file_path: text }, { file_path: "/tmp/a.csv" }],
    ["What can you do with files?", { filepath: text }, {}],
    ["Remind me tomorrow to call the bank", { text }, { text: "call the bank" }],
    ["提醒我明天交房租", { text }, { text: "交房租" }],
    ["Create a task called Buy milk", { title: text }, { title: "Buy milk" }],
  ])("%s", (request, properties, expected) => {
    expect(argumentsOf(request, properties)).toEqual(expected);
  });

  it.each([
    "Please find a place where we could all meet one day and eat something that everybody likes.",
    "Bitte finde heraus, ob es irgendwo noch etwas gibt, das uns allen zusammen gefallen könnte.",
  ])("are never a whole request: %s", (request) => {
    const { location, code, reason } = argumentsOf(request, { location: text, code: text, reason: text }, [
      "location",
      "code",
      "reason",
    ]) as Record<string, string>;
    for (const value of [location, code, reason]) expect(value?.length).toBeLessThan(request.length / 2);
    expect(location).not.toMatch(/^(?:find|where|a|one|es)$/i);
  });
});

describe("pictures", () => {
  it("tell their width and height", () => {
    const source = new TextSource("What is this? Image 1: PNG, 640x480 pixels.", {
      now: MONDAY,
      answer: () => "",
      imageSizes: [{ width: 640, height: 480 }],
    });
    const schema = {
      type: "object",
      properties: { height: integer, width: integer, count: integer },
      required: ["width", "height"],
    };
    expect(fillSchema(schema, source).value).toMatchObject({ width: 640, height: 480 });
  });
});

describe("hostile requests", () => {
  const SIZE = 100_000;
  const properties = {
    city: text,
    name: text,
    company: text,
    restaurant: text,
    amount: number,
    from: text,
    to: text,
    date,
    time: instant,
    query: text,
    body: text,
    subject: text,
    path: text,
    order_id: text,
    express: boolean,
    price: { enum: ["low", "high"] },
    items: { type: "array", items: text },
    cities: { type: "array", items: text },
  };

  // A pattern that backtracks would keep this going for hours.
  it.each([
    "1",
    "1,",
    "1.",
    " ",
    "a ",
    "A ",
    "Aa ",
    "在",
    "一",
    "从在到",
    "a@",
    '"',
    "“",
    ": ",
    "/a",
    "12:",
    "am 1. ",
    "5月",
    "ß",
    "\n",
    "the city of ",
    "and ",
    "和",
    "Anna & ",
  ])("of %j over and over end", (piece) => {
    const request = piece.repeat(SIZE / piece.length);
    expect(argumentsOf(request, properties, Object.keys(properties))).toBeTypeOf("object");
  });
});
