import { calculate, findExpressions } from "../language/calculate.js";
import { languageOf } from "../language/detect-language.js";
import { hashText } from "../language/hash-text.js";
import { PHRASES } from "../language/phrases/phrases.js";
import { splitPassages, splitSentences } from "../language/split-passages.js";
import { similarity, textFeatures } from "../language/text-features.js";
import type { Conversation } from "./read-conversation.js";

const ECHO =
  /^(?:please |just |now |can you |could you )*(?:(?:say|repeat|echo|reply with|respond with|answer with)\b|(?:output|print|write)\b(?=\s+(?:only|exactly|just|the (?:exact )?(?:word|text|phrase)|["'“‘`])))(?:\s+(?:back|after me|only|exactly|just|the (?:exact |single |one )*(?:word|words|number|text|phrase|sentence|string)|this|the following|with|verbatim))*\s*[:：]?\s*(.+)$/is;
const NOTHING_TO_ECHO =
  /^(?:an?|me|about|some|down|to|in|something|anything|json|yaml|xml|markdown|at most|no more)\b/i;
const FINAL_ECHO = /^(?:please )?(?:reply|respond|answer) with (?:only|exactly|just|nothing but|the)\b/i;
const COUNT = /^(?:please |can you |could you )*count (?:up )?(?:from (\d{1,4}) )?to (\d{1,4})\b/i;
const LONGEST_COUNT = 500;
const SUMMARISE =
  /^(?:please |can you |could you )*(?:summari[sz]e|tl;?dr|give (?:me )?(?:a|the) (?:brief |short )?summary)|^(?:请)?(?:总结|概括|摘要)/i;
const LIST =
  /^(?:please |can you |could you )*(?:list|enumerate|give me a list|name all)\b|^(?:请)?(?:列出|列举)/i;
const SUMMARY_SENTENCES = 3;
const LONGEST_LIST = 10;

/** What a local model can do without looking anything up; undefined when the request is something else. */
export function builtInAnswer(conversation: Conversation, seed: number): string | undefined {
  const request = conversation.question;
  const phrases = PHRASES[languageOf(request)];
  if (phrases.greeting.test(request))
    return phrases.greetings[hashText(request, seed) % phrases.greetings.length];
  if (phrases.thanks.test(request)) return phrases.welcome;
  if (phrases.identity.test(request)) return phrases.introduction;
  return (
    arithmetic(request) ?? count(request) ?? summary(conversation) ?? list(conversation) ?? echo(conversation)
  );
}

function arithmetic(request: string): string | undefined {
  // More words than a sum needs: the numbers are part of something else.
  const words = request.match(/[\p{L}]{2,}/gu) ?? [];
  if (words.length > 14) return undefined;
  const results = findExpressions(request).map((expression) => `${expression} = ${calculate(expression)}`);
  return results.length === 0 ? undefined : results.join("\n");
}

function count(request: string): string | undefined {
  const match = COUNT.exec(request);
  const from = Number(match?.[1] ?? 1);
  const length = Number(match?.[2] ?? 0) - from + 1;
  if (length < 1 || length > LONGEST_COUNT) return undefined;
  return Array.from({ length }, (_, index) => from + index).join(", ");
}

function echo({ question, userText }: Conversation): string | undefined {
  // What is to be said may follow a question that needs no answer.
  const last = splitSentences(userText).at(-1) ?? "";
  const text = ECHO.exec(FINAL_ECHO.test(last) ? last : question)?.[1]?.trim();
  if (text === undefined || NOTHING_TO_ECHO.test(text)) return undefined;
  const quoted =
    /^["'“‘`](.+?)["'”’`](?:[\s,.!]+(?:and nothing else|only|exactly|please|verbatim))?[.!]?$/is.exec(
      text,
    )?.[1];
  // A full stop ends the request, not the word that is asked for.
  return (
    quoted ??
    text
      .replace(/^(\S+)[.!。]$/, "$1")
      .replace(/[\s,.]+(?:and nothing else|only|exactly|verbatim)[.!]?$/i, "")
  );
}

function summary({ question, userText, sources }: Conversation): string | undefined {
  if (!SUMMARISE.test(question) && !SUMMARISE.test(userText)) return undefined;
  const own = userText.replace(/^[^\n:：]{0,120}[:：]\s*/, "");
  const material = sources.map(({ text }) => text).join("\n") || (own === userText ? "" : own);
  const sentences = splitPassages(material)
    .filter(({ isCode }) => !isCode)
    .map(({ text }) => text);
  if (sentences.length === 0) return undefined;
  const whole = textFeatures(material);
  return sentences
    .map((text, order) => ({ text, order, score: similarity(whole, textFeatures(text)) }))
    .sort((left, right) => right.score - left.score || left.order - right.order)
    .slice(0, SUMMARY_SENTENCES)
    .sort((left, right) => left.order - right.order)
    .map(({ text }) => text)
    .join(" ");
}

function list({ question, sources }: Conversation): string | undefined {
  if (!LIST.test(question)) return undefined;
  const topic = textFeatures(question.replace(LIST, ""));
  const ranked = splitPassages(sources.map(({ text }) => text).join("\n"))
    .filter(({ isCode }) => !isCode)
    .map((passage, order) => ({
      text: passage.text,
      order,
      score: similarity(topic, textFeatures(`${passage.heading} ${passage.text}`)),
    }))
    .filter(({ score }) => score > 0.05)
    .sort((left, right) => right.score - left.score || left.order - right.order)
    .slice(0, LONGEST_LIST);
  // A passage that already joins a list says it all.
  const joined = ranked
    .map(({ text }) => /^[^\n]*[:：] (.+; .+)$/s.exec(text)?.[1])
    .find((found) => found !== undefined);
  const items = joined
    ? joined.split("; ")
    : ranked.sort((left, right) => left.order - right.order).flatMap(({ text }) => splitSentences(text));
  return items.length === 0 ? undefined : items.map((item) => `- ${item}`).join("\n");
}
