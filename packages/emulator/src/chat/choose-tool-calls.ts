import { fillSchema } from "../extraction/fill-schema.js";
import {
  asArray,
  asRecord,
  asString,
  type JSONSchema,
  resolveSchema,
  typeOf,
} from "../extraction/json-schema.js";
import { mentionedChoices } from "../extraction/pick-choice.js";
import { nameInWords } from "../extraction/property-hint.js";
import { TextSource } from "../extraction/text-source.js";
import { findExpressions } from "../language/calculate.js";
import { conceptsOfStem } from "../language/concept-lexicon.js";
import { isCourtesy } from "../language/is-courtesy.js";
import { meantBy } from "../language/sayings.js";
import { stem } from "../language/stem.js";
import { isStopWord, similarity, textFeatures, wordsOf } from "../language/text-features.js";
import type { ChatRequest, ToolDefinition } from "./chat-request.js";
import { imageSizesIn } from "./image-sizes-in.js";
import type { Conversation } from "./read-conversation.js";
import type { ComposedToolCall } from "./reply.js";

const APPLIES = 0.1;
const NAMED_BONUS = 0.5;
const MISSING_ARGUMENT_FACTOR = 0.7;
const HANDED_ON_FACTOR = 0.4;
const UNASKED_FACTOR = 0.6;
const UNDOING = /\b(?:cancel|delete|remove|refund|drop|close|stop|terminate|unsubscribe|reject|revoke)\b/;
/** Tools that give a conversation to somebody else: `transfer_to_refunds`, `handoff_to_agent`. */
const HAND_OFF = /^(?:transfer|hand_?off|delegate)(?:_back)?_to_/i;
/** "24. Dezember" and "3. Mai" end no clause. */
const CLAUSE_END =
  /\s{0,20}(?:(?:[;!?。；！？]{1,20}|(?<!\d)\.{1,20})(?=\s|$)|[。；！？，]|,?\s{1,20}(?:and then|then|and also|as well as|and|also|und dann|und auch|und|dann|außerdem)\s{1,20}|,\s{1,20}|以及|并且|然后|，)\s{0,20}/i;
/** Longer messages carry material; which tool is wanted then stands in their question. */
const LONGEST_REQUEST = 4_000;
const MOST_CLAUSES = 24;
const LONGEST_ELLIPSIS = 10;
const SIGN_WORDS: Record<string, string> = {
  "+": "add plus sum addition",
  "-": "subtract minus difference",
  "*": "multiply times product multiplication",
  "/": "divide quotient division",
};

/** The tools to call now; none when an answer in words is due. Never the same call twice in one turn. */
export function chooseToolCalls(
  request: ChatRequest,
  conversation: Conversation,
  now: number,
): ComposedToolCall[] {
  const { toolChoice, tools } = request;
  if (toolChoice === "none" || tools.length === 0) return [];
  if (toolChoice === "auto" && isCourtesy(conversation.userText)) return [];
  const calls = plannedCalls(request, new Asked(conversation, now));
  const done = new Set(conversation.toolResults.map((result) => callKey(result.name, result.arguments)));
  const doneNames = new Set(conversation.toolResults.map(({ name }) => name));
  const open = calls.filter((call) =>
    // A call that was made differently (by another model, say) was still made, unless this turn plans several.
    calls.filter(({ name }) => name === call.name).length > 1
      ? !done.has(callKey(call.name, call.arguments))
      : !doneNames.has(call.name),
  );
  return request.parallelToolCalls ? open : open.slice(0, 1);
}

function plannedCalls({ tools, toolChoice }: ChatRequest, asked: Asked): ComposedToolCall[] {
  const { conversation } = asked;
  const text = conversation.userText;
  if (typeof toolChoice === "object") {
    const forced = tools.filter(({ name }) => name === toolChoice.name).slice(0, 1);
    return forced.flatMap((tool) => callsFor(tool, text, asked));
  }
  const request = text.length <= LONGEST_REQUEST ? text : conversation.question.slice(0, LONGEST_REQUEST);
  const scored = new ToolScorer(tools);
  const clauses = splitByTool(request, scored, asked);
  if (clauses.length > 1) return callsForClauses(clauses, asked);
  const best = scored.best(request, asked);
  if (best && best.score > APPLIES) return callsFor(best.tool, text, asked);
  if (toolChoice !== "required") return [];
  // Something has to be called: the nearest tool that this turn has not called yet.
  const called = new Set(conversation.toolResults.map(({ name }) => name));
  const uncalled = tools.filter(({ name }) => !called.has(name));
  const nearest = new ToolScorer(uncalled).best(request, asked)?.tool ?? uncalled[0];
  return nearest ? callsFor(nearest, text, asked) : [];
}

function callsForClauses(clauses: readonly ToolClause[], asked: Asked): ComposedToolCall[] {
  const calls: ComposedToolCall[] = [];
  for (const { tool, clause, elliptical } of clauses) {
    // What an elliptical clause leaves out is as in the call before.
    const base = elliptical ? calls.at(-1)?.arguments : undefined;
    for (const call of callsFor(tool, clause, asked)) {
      const merged = base === undefined ? call.arguments : mergeArguments(base, call.arguments);
      const key = callKey(call.name, merged);
      if (calls.some((other) => callKey(other.name, other.arguments) === key)) continue;
      calls.push({ name: call.name, arguments: merged });
    }
  }
  return calls;
}

function mergeArguments(base: string, own: string): string {
  return JSON.stringify({ ...asRecord(JSON.parse(base)), ...asRecord(JSON.parse(own)) });
}

/** What is asked, and when. */
class Asked {
  readonly conversation: Conversation;
  private readonly now: number;

  constructor(conversation: Conversation, now: number) {
    this.conversation = conversation;
    this.now = now;
  }

  sourceOf(text: string): TextSource {
    return new TextSource(text, {
      now: this.now,
      answer: () => this.conversation.question,
      isRequest: true,
      imageSizes: imageSizesIn(this.conversation.seenImages),
    });
  }

  /** Whether somebody else was given this conversation in this turn. */
  get wasHandedOver(): boolean {
    return this.conversation.toolResults.some(({ name }) => HAND_OFF.test(name));
  }
}

class ToolScorer {
  private readonly tools: { tool: ToolDefinition; features: ReadonlyMap<string, number> }[];

  constructor(tools: readonly ToolDefinition[]) {
    this.tools = tools.map((tool) => ({ tool, features: textFeatures(describeTool(tool)) }));
  }

  best(text: string, asked: Asked): { tool: ToolDefinition; score: number } | undefined {
    const features = textFeatures(`${text} ${signsInWords(text)} ${meantBy(text)}`);
    let best: { tool: ToolDefinition; score: number } | undefined;
    for (const { tool, features: wanted } of this.tools) {
      let score = similarity(features, wanted);
      if (text.toLowerCase().includes(tool.name.toLowerCase())) score += NAMED_BONUS;
      if (score > APPLIES && !isComplete(tool, text, asked)) score *= MISSING_ARGUMENT_FACTOR;
      if (isUnaskedUndoing(tool, features)) score *= UNASKED_FACTOR;
      // Who was handed a conversation serves it, before thinking of somebody else.
      if (asked.wasHandedOver && HAND_OFF.test(tool.name)) score *= HANDED_ON_FACTOR;
      if (score > (best?.score ?? 0)) best = { tool, score };
    }
    return best;
  }
}

/** Whether a tool takes something away that nobody wants who does not say so. */
function isUnaskedUndoing({ name }: ToolDefinition, features: ReadonlyMap<string, number>): boolean {
  const action = UNDOING.exec(nameInWords(name))?.[0];
  if (action === undefined) return false;
  const actionStem = stem(action);
  const concepts = conceptsOfStem(actionStem);
  return !features.has(`w:${actionStem}`) && !concepts.some((concept) => features.has(`k:${concept}`));
}

function describeTool({ name, description, parameters }: ToolDefinition): string {
  const properties = Object.entries(asRecord(asRecord(parameters)["properties"])).map(
    ([property, schema]) => `${nameInWords(property)} ${asString(asRecord(schema)["description"])}`,
  );
  const words = nameInWords(name);
  // Name and description say what it does; the parameters only what it needs.
  return `${words} ${words} ${description} ${properties.join(" ")}`;
}

function signsInWords(text: string): string {
  const signs = new Set(findExpressions(text).flatMap((expression) => expression.match(/[-+*/]/g) ?? []));
  if (signs.size === 0) return "";
  return `calculate calculator math arithmetic ${[...signs].map((sign) => SIGN_WORDS[sign]).join(" ")}`;
}

interface ToolClause {
  tool: ToolDefinition;
  clause: string;
  /** Says only what differs from the clause before: `and when the one to Oslo?`. */
  elliptical: boolean;
}

/** The clauses that ask for a tool each, with what follows them and asks for none. */
function splitByTool(text: string, scorer: ToolScorer, asked: Asked): ToolClause[] {
  const parts: ToolClause[] = [];
  let loose = "";
  for (const clause of text.split(CLAUSE_END).slice(0, MOST_CLAUSES)) {
    if (clause.trim() === "") continue;
    const best = scorer.best(clause, asked);
    const last = parts.at(-1);
    const ofItsOwn =
      best !== undefined &&
      best.score > APPLIES &&
      (best.tool !== last?.tool || isComplete(best.tool, clause, asked));
    const elliptical =
      last !== undefined && isElliptical(clause, text) && isComplete(last.tool, clause, asked);
    if (elliptical && (!ofItsOwn || best.tool === last.tool)) {
      parts.push({ tool: last.tool, clause, elliptical });
    } else if (ofItsOwn) {
      parts.push({ tool: best.tool, clause: `${loose} ${clause}`.trim(), elliptical: false });
      loose = "";
    } else if (last) {
      last.clause += ` and ${clause}`;
    } else {
      loose += ` ${clause}`;
    }
  }
  return parts;
}

/**
 * Whether a clause only points at another thing of the same kind: its words are names, numbers, small words, or
 * words that the rest of the text uses as well. A bare name is no clause but an item of a list.
 */
function isElliptical(clause: string, text: string): boolean {
  if (!/^\p{Ll}|^(?:What|How|When|Where|And|To|In|For|Also|The)\b/u.test(clause.trim())) return false;
  const elsewhere = new Set(wordsOf(text.replace(clause, " ")).map(stem));
  const words = clause.match(/[\p{L}\p{N}'’-]+/gu) ?? [];
  return (
    words.length > 1 &&
    words.length <= LONGEST_ELLIPSIS &&
    words.slice(1).some((word) => /^[\p{Lu}\p{N}]/u.test(word)) &&
    words.every(
      (word) =>
        /^[\p{Lu}\p{N}]/u.test(word) || isStopWord(word) || /^ones?$/.test(word) || elsewhere.has(stem(word)),
    ) &&
    !/\b(?:I|I'm|my)\b/.test(clause)
  );
}

/** Whether the text itself holds every argument the tool requires. */
function isComplete(tool: ToolDefinition, text: string, asked: Asked): boolean {
  const schema = asRecord(tool.parameters);
  const required = new Set(asArray(schema["required"]));
  const properties = Object.entries(asRecord(schema["properties"])).filter(([name]) => required.has(name));
  if (properties.length === 0) return true;
  // Without required, an argument that was not found is left out.
  const optional = { ...schema, required: [] };
  const filled = asRecord(fillSchema(optional, asked.sourceOf(text)).value);
  return properties.every(([name]) => Object.hasOwn(filled, name));
}

function callsFor(tool: ToolDefinition, text: string, asked: Asked): ComposedToolCall[] {
  const schema = asRecord(tool.parameters);
  const one = asRecord(fillArguments(schema, text, asked));
  const spread = spreadEntities(schema, one, text);
  return (spread ?? [one]).map((values) => ({ name: tool.name, arguments: JSON.stringify(values) }));
}

function fillArguments(schema: JSONSchema, text: string, asked: Asked): unknown {
  const shaped = typeOf(schema) === "object" ? schema : { ...schema, type: "object" };
  return fillSchema(shaped, asked.sourceOf(text)).value;
}

/** One call per entity when the text lists several for one argument: `the weather in Paris, Rome and Oslo`. */
function spreadEntities(
  schema: JSONSchema,
  values: Readonly<Record<string, unknown>>,
  text: string,
): Record<string, unknown>[] | undefined {
  for (const [name, value] of Object.entries(values)) {
    const property = resolveSchema(asRecord(schema["properties"])[name], schema);
    if (typeof value !== "string" || typeOf(property) !== "string") continue;
    const options = asArray(property["enum"]);
    const others =
      options.length > 0
        ? mentionedChoices(options, text).map(({ option }) => option)
        : /expression|formula|equation/.test(nameInWords(name))
          ? findExpressions(text)
          : siblings(value, text);
    // What another argument already took is no second entity of this one.
    const free = others.filter((other) => other === value || !Object.values(values).includes(other));
    if (free.length > 1) return [...new Set(free)].map((other) => ({ ...values, [name]: other }));
  }
  return undefined;
}

/** The names that are listed together with a name. */
function siblings(value: string, text: string): string[] {
  if (!/^\p{Lu}/u.test(value) || value.length > 40) return [];
  const word = "\\p{Lu}[\\p{L}'’-]*(?: \\p{Lu}[\\p{L}'’-]*){0,2}";
  const list = new RegExp(
    `(?:${word})(?:\\s*,\\s*(?:and\\s+|or\\s+)?(?:${word})|\\s+(?:and|or|&)\\s+(?:in\\s+|for\\s+|to\\s+)?(?:${word}))+`,
    "gu",
  );
  for (const [found] of text.matchAll(list)) {
    const names = found.split(/\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or|&)\s+(?:in\s+|for\s+|to\s+)?/);
    if (names.includes(value)) return names;
  }
  return [];
}

function callKey(name: string, argumentsText: string): string {
  try {
    return `${name} ${canonical(JSON.parse(argumentsText))}`;
  } catch {
    return `${name} ${argumentsText}`;
  }
}

/** JSON text in which the order of members does not count, at the top level that arguments have. */
function canonical(value: unknown): string {
  return JSON.stringify(
    Object.entries(asRecord(value)).sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0)),
  );
}
