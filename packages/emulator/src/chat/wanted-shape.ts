import type { JSONSchema } from "../extraction/json-schema.js";
import { isRecord } from "../json/is-record.js";
import { findSchemaBlocks } from "./json-schema-blocks.js";
import { readTemplate, schemaOfKey } from "./read-template.js";

/** The JSON that a prompt asks for in words. */
export interface WantedShape {
  schema: JSONSchema;
  /** What stands in the prompt for it, to keep it out of the text that is read. */
  text: string;
  /** A JSON schema, which prompts of output parsers hold: their answer stands in a block of code. */
  isSchema?: boolean;
  /** A list that is asked for as such: the only member of the schema. */
  list?: string;
}

const LONGEST_PROMPT = 20_000;
/** JSON is what is wanted, not what is talked about. */
const WANTED: readonly RegExp[] = [
  /\b(?:return|returns|output|outputs|respond|responds|reply|answer|give|provide|produce|format|extract|list|present|print|write|put|turn|convert|create|generate|make)\b[^.!?\n]{0,160}\bjson\b/i,
  /\b(?:as|in|only|into|valid) (?:a |an |plain |valid |raw |pure )*json\b/i,
  /\bjson\b[^.!?\n]{0,40}\b(?:only|with|like|format|object|array|output|response)\b/i,
  /(?<!\p{L})(?:gib|gebe|antworte|antwort|liefere?|erstelle?|schreibe?|extrahiere?|lies|liste|nenne|wandle|formatiere?|ausgabe|als|im|nur|reines|gültiges)(?!\p{L})[^.!?\n]{0,160}\bjson/iu,
  /(?:返回|输出|用|以|写成|转成|转换[为成]|生成|给出|回答|整理成|提取[^。！？\n]{0,40}?)[^。！？\n]{0,40}json|json ?(?:格式|对象|数组|形式|字符串数组)/i,
];
const TALKED_ABOUT =
  /\b(?:function|code|script|parse|parser|parsing|library|python|javascript|typescript|program|funktion|programm|skript|bibliothek|api)\b|函数|代码|脚本|程序|解析/i;
const ASKED_ABOUT =
  /^\W*(?:what|why|how|when|who|is|are|does|was|warum|wie|ist|什么|为什么|怎么|如何)[^.!\n]{0,100}json[^.!\n]{0,100}[?？]/i;
/** What leads in an example of how it should look. */
const LED_IN =
  /(?:\blike|\be\.g\.|\bsuch as|\bformat|\bschema|\bshape|\bstructure|\bform|\bexample|\btemplate|\betwa|\bz\. ?b\.|\bwie|\bbeispiel|\bstruktur|\bobjekt|\bobject|\bjson|例如|格式|如下|比如|对象|结构|形如|像)[^{[\n]{0,40}\n{0,2}\s{0,4}(?:```(?:json)?\s{0,4})?$/iu;

/** The shape of JSON that a prompt asks for; undefined when it asks for none. */
export function wantedShape(prompt: string): WantedShape | undefined {
  const read = prompt.slice(0, LONGEST_PROMPT);
  const schema = schemaInPrompt(prompt);
  if (schema) return /\bjson\b/i.test(prompt) ? schema : undefined;
  if (!asksForJSON(read)) return undefined;
  return (
    templateInPrompt(read) ?? listInPrompt(read) ?? keysInPrompt(read) ?? { schema: answerSchema(), text: "" }
  );
}

/** The shape of an object that has to be made whether the prompt asks for one or not. */
export function shapeOfObject(prompt: string): WantedShape {
  const read = prompt.slice(0, LONGEST_PROMPT);
  return (
    schemaInPrompt(prompt) ??
    templateInPrompt(read, true) ??
    keysInPrompt(read) ?? { schema: answerSchema(), text: "" }
  );
}

function answerSchema(): JSONSchema {
  return { type: "object", properties: { answer: { type: "string" } }, required: ["answer"] };
}

function asksForJSON(prompt: string): boolean {
  if (!/json/i.test(prompt)) return false;
  const sentences = prompt.split(/(?<=[.!?。！？])\s|\n/).filter((sentence) => /json/i.test(sentence));
  return sentences.some(
    (sentence) =>
      !TALKED_ABOUT.test(sentence) &&
      !ASKED_ABOUT.test(sentence) &&
      WANTED.some((pattern) => pattern.test(sentence)),
  );
}

/** A JSON schema in the prompt. */
function schemaInPrompt(prompt: string): WantedShape | undefined {
  const block = findSchemaBlocks(prompt).at(-1);
  return block && isRecord(block.value)
    ? { schema: block.value, text: block.text, isSchema: true }
    : undefined;
}

/** A drawn shape, or an example that is led in as one: other JSON in a prompt is material. */
function templateInPrompt(prompt: string, anyExample = false): WantedShape | undefined {
  const template = readTemplate(prompt);
  if (template === undefined) return undefined;
  const before = prompt.slice(Math.max(0, prompt.indexOf(template.text) - 80), prompt.indexOf(template.text));
  if (!template.isShape && !anyExample && !LED_IN.test(before)) return undefined;
  const { schema, text } = template;
  if (schema["type"] !== "array") return { schema, text };
  return anyExample ? undefined : { ...asList(schema, listName(prompt)), text };
}

const LIST =
  /\bjson[ -]?(?:array|list|liste)\b|\b(?:array|list) (?:in|as) json\b|json ?(?:字符串|数字)?(?:数组|列表)/i;
const NUMBERS = /(?:of (?:numbers|integers)|von zahlen|aus zahlen|数字数组)/i;
const OBJECTS = /(?:of objects|von objekten|aus objekten|对象数组|对象的数组)/i;
/** What is listed, by the words that ask for it. */
const LISTED: readonly (readonly [name: string, words: RegExp])[] = [
  ["cities", /\b(?:cit(?:y|ies)|towns)\b|\bstädten?\b|\borte\b|城市/iu],
  ["countries", /\bcountries\b|\bländer[n]?\b|国家/iu],
  ["emails", /\be-?mail(?:s| address(?:es)?)\b|\b(?:e-?)?mail-?adressen\b|邮箱/iu],
  ["companies", /\bcompanies\b|\bfirmen\b|\bunternehmen\b|公司/iu],
  ["names", /\bnames?\b|\bpeople\b|\bpersons\b|\bnamen\b|\bpersonen\b|姓名|人名|名字|人物/iu],
  ["ingredients", /\bingredients\b|\bzutaten\b|材料|配料|食材|原料/iu],
  ["dates", /\bdates\b|\bdaten\b|\btermine\b|日期/iu],
  ["colors", /\bcolou?rs\b|\bfarben\b|颜色/iu],
  ["numbers", /\b(?:all|the|every) numbers\b|\bzahlen\b|数字(?!数组)/iu],
  ["keywords", /\b(?:keywords|tags)\b|\b(?:stich|schlag)wörter\b|关键词|标签/iu],
  ["urls", /\b(?:urls|links)\b|链接|网址/iu],
];

function listName(prompt: string): string {
  const asked = prompt.split(/\n\n/).find((part) => /json/i.test(part)) ?? prompt;
  return LISTED.find(([, words]) => words.test(asked.slice(0, 400)))?.[0] ?? "items";
}

function asList(schema: JSONSchema, name: string): Omit<WantedShape, "text"> {
  return { schema: { type: "object", properties: { [name]: schema }, required: [name] }, list: name };
}

/** `as a JSON array of strings`, `als JSON-Array`, `JSON字符串数组`. */
function listInPrompt(prompt: string): WantedShape | undefined {
  if (!LIST.test(prompt)) return undefined;
  const name = listName(prompt);
  const keys = keysInPrompt(prompt);
  const items =
    (OBJECTS.test(prompt) || NAMED_KEYS.some((pattern) => pattern.test(prompt))) && keys
      ? keys.schema
      : NUMBERS.test(prompt) || name === "numbers"
        ? { type: "number" }
        : { type: "string" };
  return { ...asList({ type: "array", items }, name), text: "" };
}

/** Keys that a prompt names as such. */
const NAMED_KEYS: readonly RegExp[] = [
  /\b(?:keys?|fields?|properties|members|attributes)\b(?:\s+(?:named|called|are|of|is|should be))?\s*[:：]?\s*/iu,
  /(?<!\p{L})(?:schlüsseln?|feldern?|eigenschaften|attributen?|keys)(?!\p{L})(?:\s+(?:namens|sind|heißen))?\s*[:：]?\s*/iu,
  /(?:键名?|字段名?|属性|键值)(?:分别)?(?:为|是|包括|有|包含)?\s*[:：]?\s*/u,
];
/** Things that are to be extracted, which are keys when nothing else is. */
const EXTRACTED: readonly RegExp[] = [
  /\b(?:extract|list|return|give me|find|get|identify)\s(?:the\s|all\s)?(?=[\p{L} ]{2,30}(?:,|\sand\s))/iu,
  /(?<!\p{L})(?:extrahiere|lies|nenne|finde|gib)\s(?:mir\s|bitte\s|den\s|die\s|das\s)?(?=[\p{L}]{2,30}(?:,|\sund\s))/iu,
  /(?:提取|抽取|找出|列出)(?:出)?(?=[\p{Script=Han}]{1,8}(?:、|和|，))/u,
];
const KEY =
  /^\s*(?:(?:the|a|an|der|die|das|den|und|and)\s)?["'“”„‘’`「]?([\p{L}_][\p{L}\p{N}_-]{0,39})["'“”’`」]?\s*(?:[（(][^)）]{0,60}[)）])?/u;
const HAN_KEY = /^[\p{Script=Han}]{1,8}$/u;
const NO_KEY = /^(?:and|or|the|an?|und|oder|json|as|in|from|string|object|return|of|with|that|only)$/i;
const MOST_KEYS = 30;

/** `with keys "name" and "age"`, `mit den Feldern a, b und c`, `键为name和age`; or what is to be extracted. */
function keysInPrompt(prompt: string): WantedShape | undefined {
  for (const pattern of [...NAMED_KEYS, ...EXTRACTED]) {
    const lead = pattern.exec(prompt);
    if (lead === null) continue;
    const start = lead.index + lead[0].length;
    const { keys, length } = readKeys(prompt.slice(start, start + 1_000));
    if (keys.length === 0) continue;
    return {
      schema: {
        type: "object",
        properties: Object.fromEntries(keys.map((key) => [key, schemaOfKey(key)])),
        required: keys,
      },
      text: prompt.slice(lead.index, start + length),
    };
  }
  return undefined;
}

function readKeys(text: string): { keys: string[]; length: number } {
  const keys = new Set<string>();
  let length = 0;
  // One line or a list of lines with a bullet each.
  const pieces = text.split(
    /((?:\s*(?:[,，、;]|\s(?:and|und|or|oder|sowie)\s|和|以及|及)\s*(?:(?:and|und)\s)?)|\n\s*[-*•]\s*)/u,
  );
  for (let index = 0; index < pieces.length && keys.size < MOST_KEYS; index += 2) {
    const piece = pieces[index] ?? "";
    if (piece.trim() === "" && index === 0) {
      length += piece.length + (pieces[index + 1]?.length ?? 0);
      continue;
    }
    const match = KEY.exec(piece);
    const key = match?.[1];
    if (match === null || key === undefined || NO_KEY.test(key)) break;
    const isHan = /\p{Script=Han}/u.test(key);
    if (isHan && !HAN_KEY.test(key)) break;
    keys.add(key);
    length += match[0].length;
    // Whatever follows a key but what divides keys ends the list.
    if (piece.slice(match[0].length).trim() !== "") break;
    length += pieces[index + 1]?.length ?? 0;
  }
  return { keys: [...keys], length };
}

const INSTRUCTION =
  /json|\b(?:extract|return|respond|reply|output)\b|(?<!\p{L})(?:extrahiere|antworte|gib)(?!\p{L})|(?:提取|返回|输出|键为|字段)/iu;
const SHORTEST_MATERIAL = 8;

/** What a prompt that asks for JSON wants it made of: the prompt without the words that ask. */
export function materialOf(userText: string, shape: WantedShape): string {
  const text = shape.text === "" ? userText : userText.replace(shape.text, () => " ");
  if (!INSTRUCTION.test(text) && text === userText) return text;
  const parts = text.split(/\n\s*\n/).filter((part) => part.trim() !== "");
  const others = parts.filter((part) => !/json/i.test(part) && part.trim().length >= SHORTEST_MATERIAL);
  if (others.length > 0 && others.length < parts.length) return others.join("\n\n");
  const behindColon = /^[^.。!?！？\n:：]{0,200}[:：](?!\/\/)\s*(?=\S)([^{}]{8,})$/su.exec(
    afterInstruction(text),
  )?.[1];
  if (behindColon !== undefined) return unquoted(behindColon);
  const quoted = /["“„「]([^"“”„「」]{16,})["”“」]/su.exec(text)?.[1];
  if (quoted !== undefined) return quoted;
  const sentences = text.split(/(?<=[.!?。！？])\s*(?=\S)|\n/).filter((sentence) => !/json/i.test(sentence));
  const rest = sentences.join(" ").trim();
  return rest.length >= SHORTEST_MATERIAL ? rest : text;
}

/** From the word JSON on, or from the words that ask for something to be read. */
function afterInstruction(text: string): string {
  const at = text.search(/json/i);
  return at < 0 ? text : text.slice(at);
}

function unquoted(text: string): string {
  return text.trim().replace(/^["“„「]([\s\S]*)["”“」]\.?$/u, "$1");
}
