import { hashText } from "../language/hash-text.js";
import { splitPassages, splitSentences } from "../language/split-passages.js";
import { similarity, textFeatures } from "../language/text-features.js";
import { calculate, findExpressions } from "./calculate.js";
import type { Conversation } from "./read-conversation.js";

const GREETING =
  /^(?:hello|hi|hey|good (?:morning|afternoon|evening)|greetings|howdy|你好|您好|嗨)(?: there)?[\s!.,。！，]*$/i;
const GREETINGS = [
  "Hello! How can I help you?",
  "Hi! What can I do for you?",
  "Hello there! What would you like to know?",
];
const CHINESE_GREETING = "你好！有什么可以帮你？";
const THANKS = /^(?:thanks|thank you|thx|cheers|谢谢|多谢)[^?？]{0,40}$/i;
const ECHO =
  /^(?:please |just |now |can you |could you )*(?:say|repeat|echo|reply with|respond with|answer with|output|print|write)\b(?:\s+(?:back|after me|only|exactly|just|the (?:exact )?(?:word|words|text|phrase|sentence|string)|this|the following|with|verbatim))*\s*[:：]?\s*(.+)$/is;
const SUMMARISE =
  /^(?:please |can you |could you )*(?:summari[sz]e|tl;?dr|give (?:me )?(?:a|the) (?:brief |short )?summary)|^(?:请)?(?:总结|概括|摘要)/i;
const LIST =
  /^(?:please |can you |could you )*(?:list|enumerate|give me a list|name all)\b|^(?:请)?(?:列出|列举)/i;
const SUMMARY_SENTENCES = 3;
const LONGEST_LIST = 10;

/** What a local model can do without looking anything up; undefined when the request is something else. */
export function builtInAnswer(conversation: Conversation, seed: number): string | undefined {
  const request = conversation.question;
  if (GREETING.test(request)) {
    return /[\u4e00-\u9fff]/.test(request)
      ? CHINESE_GREETING
      : GREETINGS[hashText(request, seed) % GREETINGS.length];
  }
  if (THANKS.test(request)) return "You are welcome!";
  return arithmetic(request) ?? summary(conversation) ?? list(conversation) ?? echo(request);
}

function arithmetic(request: string): string | undefined {
  // More words than a sum needs: the numbers are part of something else.
  const words = request.match(/[\p{L}]{2,}/gu) ?? [];
  if (words.length > 14) return undefined;
  const results = findExpressions(request).map((expression) => `${expression} = ${calculate(expression)}`);
  return results.length === 0 ? undefined : results.join("\n");
}

function echo(request: string): string | undefined {
  const text = ECHO.exec(request)?.[1]?.trim();
  if (text === undefined || /^(?:a|an|me|about|some|down|to)\s/i.test(text)) return undefined;
  const quoted =
    /^["'“‘`](.+?)["'”’`](?:[\s,.!]+(?:and nothing else|only|exactly|please|verbatim))?[.!]?$/is.exec(
      text,
    )?.[1];
  return quoted ?? text.replace(/[\s,.]+(?:and nothing else|only|exactly|verbatim)[.!]?$/i, "");
}

function summary({ question, userText, sources }: Conversation): string | undefined {
  if (!SUMMARISE.test(question) && !SUMMARISE.test(userText)) return undefined;
  const own = userText.replace(/^[^\n:：]{0,120}[:：]\s*/, "");
  const material = sources.map(({ text }) => text).join("\n") || (own === userText ? "" : own);
  const sentences = splitPassages(material).map(({ text }) => text);
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
