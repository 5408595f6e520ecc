import type { JSONSchema } from "../extraction/json-schema.js";
import { nameInWords } from "../extraction/property-hint.js";
import { meaningOfName } from "../language/property-words.js";

/** A shape of JSON that is drawn in a text: `{"name": string, "age": <number>}`. */
export interface Template {
  schema: JSONSchema;
  /** How it stands in the text. */
  text: string;
  /** Whether it can only be a shape, and no data: it names types, or leaves places open. */
  isShape: boolean;
}

const DEEPEST = 8;
const LONGEST = 20_000;
const MOST_ATTEMPTS = 20;

/** The first drawn shape in a text that is one for sure, or else the last object that may be an example. */
export function readTemplate(text: string): Template | undefined {
  let example: Template | undefined;
  let at = text.search(/[{[]/);
  for (let attempt = 0; at >= 0 && attempt < MOST_ATTEMPTS; attempt++) {
    const template = new TemplateReader(text.slice(at, at + LONGEST)).read();
    if (template?.isShape) return template;
    if (template) example = template;
    const next = text.slice(at + (template?.text.length ?? 1)).search(/[{[]/);
    at = next < 0 ? -1 : at + (template?.text.length ?? 1) + next;
  }
  return example;
}

/** What a value of a member of this name is, where nothing else is said of it. */
export function schemaOfKey(key: string): JSONSchema {
  const { meaning } = meaningOfName(nameInWords(key));
  if (/^(?:is|has)[_A-Z]/.test(key) || /^(?:express|urgent|vegetarian|paid|available|insured)$/.test(meaning))
    return { type: "boolean" };
  if (/\b(?:age|count|quantity|year|guests|nights)$|^number of\b/.test(meaning) && !/date/.test(meaning))
    return { type: "number" };
  if (/\b(?:price|amount|total|score|temperature|rating|weight|discount|distance)$/.test(meaning))
    return { type: "number" };
  if (/\bdate$|^(?:birthday|check in|check out)$/.test(meaning)) return { type: "string", format: "date" };
  if (
    /^(?:ingredients|cities|names|countries|keywords|tags|colors|dates|emails|skills|items|topics)$/.test(
      meaning,
    )
  )
    return { type: "array", items: { type: "string" } };
  if (/^numbers$/.test(meaning)) return { type: "array", items: { type: "number" } };
  return { type: "string" };
}

const TYPE_WORDS: readonly (readonly [words: RegExp, schema: JSONSchema])[] = [
  [/^(?:int|integer|ganzzahl|whole number|整数)$/i, { type: "integer" }],
  [/^(?:number|float|double|decimal|num|zahl|dezimalzahl|kommazahl|数字|数值|数|小数)$/i, { type: "number" }],
  [
    /^(?:bool|boolean|true ?(?:\/|\||or|oder) ?false|ja ?\/ ?nein|布尔值?|是否|true\/false)$/i,
    { type: "boolean" },
  ],
  [/^(?:date|datum|日期|yyyy-mm-dd|jjjj-mm-tt)$/i, { type: "string", format: "date" }],
  [/^(?:date-?time|timestamp|zeitstempel)$/i, { type: "string", format: "date-time" }],
  [/^(?:string|str|text|zeichenkette|字符串|文本)$/i, { type: "string" }],
  [
    /^(?:string\[\]|array<string>|list\[str(?:ing)?\]|(?:array|list) of strings?|字符串数组|liste von strings)$/i,
    { type: "array", items: { type: "string" } },
  ],
  [
    /^(?:number\[\]|array<number>|(?:array|list) of numbers|数字数组)$/i,
    { type: "array", items: { type: "number" } },
  ],
  [/^(?:array|list|liste|数组|列表)$/i, { type: "array", items: { type: "string" } }],
  [/^null$/i, { type: "null" }],
];
const OPEN_PLACE = /^(?:\.{2,}|…|_{2,}|-{2,}|\?+|x{2,}|<[^>]{0,80}>|\[[^\]]{0,80}\]|)$/i;

class TemplateReader {
  private readonly text: string;
  private index = 0;
  private isShape = false;

  constructor(text: string) {
    this.text = text;
  }

  read(): Template | undefined {
    const schema = this.value("", 0);
    if (schema === undefined) return undefined;
    const isObject = schema["type"] === "object" && Object.keys(schema["properties"] ?? {}).length > 0;
    const isList = schema["type"] === "array" && this.isShape;
    if (!isObject && !isList) return undefined;
    return { schema, text: this.text.slice(0, this.index), isShape: this.isShape };
  }

  private value(key: string, depth: number): JSONSchema | undefined {
    this.skip();
    if (depth > DEEPEST) return undefined;
    switch (this.text[this.index]) {
      case "{":
        return this.object(depth);
      case "[":
        return this.array(key, depth);
      default:
        return this.leaf(key);
    }
  }

  private object(depth: number): JSONSchema | undefined {
    this.index += 1;
    const properties: [string, JSONSchema][] = [];
    for (;;) {
      this.skip();
      if (this.take(/}/y) !== undefined) break;
      if (this.take(/\.{3}|…/y) !== undefined) {
        this.skip();
        this.take(/[,，]/y);
        continue;
      }
      const name = this.take(
        /"((?:[^"\\\n]|\\.){1,80})"|'([^'\n]{1,80})'|[“”]([^“”\n]{1,80})[“”]|`([^`\n]{1,80})`|([\p{L}_$][\p{L}\p{N}_$-]{0,79})\??/uy,
      );
      this.skip();
      if (name === undefined || this.take(/[:：]/y) === undefined) return undefined;
      const schema = this.value(name, depth + 1);
      if (schema === undefined) return undefined;
      this.take(/[ \t]*[,，;]?/y);
      const remark = this.take(/[ \t]*(?:\/\/|#)[ \t]*([^\n]{0,200})/y)?.trim();
      if (remark) this.isShape = true;
      properties.push([name, remark ? { ...schema, description: remark } : schema]);
      this.skip();
      this.take(/[,，;]/y);
    }
    return {
      type: "object",
      properties: Object.fromEntries(properties),
      required: properties.map(([name]) => name),
    };
  }

  private array(key: string, depth: number): JSONSchema | undefined {
    this.index += 1;
    let items: JSONSchema | undefined;
    for (;;) {
      this.skip();
      if (this.take(/\]/y) !== undefined) break;
      if (this.take(/(?:\.{3}|…)[ \t]*,?/y) !== undefined) {
        this.isShape = true;
        continue;
      }
      const item = this.value(key, depth + 1);
      if (item === undefined) return undefined;
      items ??= item;
      this.skip();
      this.take(/[,，]/y);
    }
    return { type: "array", items: items ?? { type: "string" } };
  }

  /** A literal, a type, or a place that is left open. */
  private leaf(key: string): JSONSchema | undefined {
    const quoted = this.take(
      /"((?:[^"\\\n]|\\.){0,200})"(?!\s*\|)|'([^'\n]{0,200})'(?!\s*\|)|[“”]([^“”\n]{0,200})[“”]/uy,
    );
    if (quoted !== undefined) return this.placeholder(quoted);
    const literal = this.take(/(-?\d+(?:\.\d+)?|true|false)(?=\s*[,，}\]\n/#])/y);
    if (literal !== undefined) return { type: /^[tf]/.test(literal) ? "boolean" : "number" };
    const word = this.take(
      /(<[^>\n]{0,80}>|(?:"[^"\n]{0,60}"|'[^'\n]{0,60}'|[^,，{}[\]\n"'/#]{1,80}|\[\])(?:\s*\|\s*(?:"[^"\n]{0,60}"|'[^'\n]{0,60}'|[^,，{}[\]\n"'/#|]{1,60})){0,12})/y,
    )?.trim();
    if (word === undefined || word === "") return undefined;
    if (word !== "null") this.isShape = true;
    return typeOfWords(word.replace(/^<|>$/g, "").replace(/["']/g, "")) ?? schemaOfKey(key);
  }

  /** A text in quotes that says what belongs there, or an example of it. */
  private placeholder(text: string): JSONSchema {
    const inner = text.replace(/^<|>$/g, "").trim();
    const typed = typeOfWords(inner);
    if (typed !== undefined || OPEN_PLACE.test(text)) {
      this.isShape = true;
      return typed ?? { type: "string" };
    }
    return { type: "string" };
  }

  private skip(): void {
    this.take(/(?:\s|\/\/[^\n]*|\/\*[^*]{0,200}\*\/)*/y);
  }

  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.index;
    const match = pattern.exec(this.text);
    if (match === null) return undefined;
    this.index += match[0].length;
    return match.slice(1).find((part) => part !== undefined) ?? match[0];
  }
}

/** `number`, `string | null`, `low|high`; undefined for words that name no type. */
function typeOfWords(words: string): JSONSchema | undefined {
  const clean = words.replace(/\s*\((?:optional|integer|required)[^)]*\)\s*$/i, "").trim();
  const direct = TYPE_WORDS.find(([pattern]) => pattern.test(clean))?.[1];
  if (direct) return direct;
  const parts = clean.split(/\s*\|\s*/).filter((part) => part !== "");
  if (parts.length < 2) return undefined;
  const types = parts.map((part) => TYPE_WORDS.find(([pattern]) => pattern.test(part))?.[1]);
  const [first] = types;
  if (types.every((type) => type !== undefined)) {
    const nullable = types.some((type) => type["type"] === "null");
    const real = types.find((type) => type["type"] !== "null") ?? first;
    return nullable ? { ...real, type: [real?.["type"], "null"] } : real;
  }
  return { type: "string", enum: parts };
}
