import { splitSentences } from "../language/split-passages.js";

/** A prompt taken apart. */
export interface PromptParts {
  /** What is asked: the labelled question, else the last question in a longer text, else the whole text. */
  question: string;
  /** The text that is marked as material to answer from, or that surrounds an unmarked question. */
  context: string;
  /** Whether the context was marked as such. */
  marked: boolean;
  /** Everything else: how to answer. */
  instructions: string;
}

const QUESTION_LABEL =
  /^\W*(?:(?:the |my |our )?user(?:'s)? |the |my )?(?:question|query|frage|问题|提问|用户问题)\W{0,3}[:：]\s*\**\s*(.*)$/iu;
const ANSWER_LABEL =
  /^\W*(?:helpful |final |your |the )?(?:answer|response|antwort|回答|答案|答)\W{0,3}[:：]\s*$/iu;
const CONTEXT_NOUN =
  "(?:context|documents?|docs|sources?|passages?|excerpts?|snippets?|articles?|information|knowledge(?: base)?|notes?|references?|materials?|facts|transcript|text|kontext|dokumente?|quellen?|auszüge?|artikel|informationen|unterlagen|上下文|参考资料|参考内容|已知信息|资料|文档|背景|材料|内容)";
const CONTEXT_LABEL = new RegExp(`^(.{0,300}?)${CONTEXT_NOUN}([^:：\\n]{0,80})[:：]\\s*\\**\\s*(.*)$`, "iu");
const CONTEXT_LEAD =
  /^\W*$|\b(?:using|use|based|given|following|provided|below|retrieved|relevant|here (?:is|are)|from|with|this|these|folgende[rnsm]?|gegeben\w*|aus|anhand|mit)\b|以下|根据|下面|参考|相关/iu;
const CONTEXT_BELOW = /^\W*context information is (?:below|provided|given)/i;
const BACK_TO_INSTRUCTIONS =
  /^\W*(?:given|using|based on|with) (?:the|this|only the) (?:above )?(?:context|information)\b/i;
const MOST_QUESTIONS = 4;
const END_OF_SECTION = "\u0000end";

/** Takes a prompt apart by the markers of common retrieval layouts: labels, tags, or nothing but a question. */
export function readPrompt(text: string): PromptParts {
  const questions: string[] = [];
  const context: string[] = [];
  const instructions: string[] = [];
  let section: "instructions" | "context" | "question" = "instructions";
  let marked = false;

  for (const line of labelTags(text).split("\n")) {
    const question = QUESTION_LABEL.exec(line);
    const label = section === "context" ? undefined : contextLabel(line);
    if (line === END_OF_SECTION || ANSWER_LABEL.test(line)) {
      section = "instructions";
    } else if (question) {
      // Of several (a list of questions and answers in the context, say) the last is the one to answer.
      const earlier = questions.pop();
      if (earlier !== undefined) context.push(earlier);
      questions.push(question[1] ?? "");
      section = "question";
    } else if (label !== undefined) {
      section = "context";
      marked = true;
      if (label !== "") context.push(label);
    } else if (section === "context" && BACK_TO_INSTRUCTIONS.test(line)) {
      section = "instructions";
    } else if (section === "question") {
      const asked = questions.at(-1) ?? "";
      if (line.trim() === "" && asked !== "") section = marked ? "context" : "instructions";
      else questions[questions.length - 1] = `${asked} ${line.trim()}`.trim();
    } else {
      (section === "context" ? context : instructions).push(line);
    }
  }

  const question = questions.at(-1)?.trim();
  if (question) return parts(question, context, instructions, marked);
  if (marked) return withoutQuestionLabel(context, instructions);
  return unlabelled(text);
}

function labelTags(text: string): string {
  return text
    .replaceAll("\r", "")
    .replace(
      /<(?:context|documents?|docs?|sources?|passages?|knowledge|background)(?:\s[^<>\n]{0,200})?>/gi,
      "\nContext:\n",
    )
    .replace(/<(?:question|query)>/gi, "\nQuestion: ")
    .replace(
      /<\/(?:context|documents?|docs?|sources?|passages?|knowledge|background|question|query)>/gi,
      `\n${END_OF_SECTION}\n`,
    )
    .replace(
      /[ \t]+(?=(?:Question|Context|Answer|Query|Frage|Kontext|Antwort|问题|上下文|回答)[:：]\s)/g,
      "\n",
    );
}

/** What follows the label on its line, or undefined when the line is no label. */
function contextLabel(line: string): string | undefined {
  if (CONTEXT_BELOW.test(line)) return "";
  const label = CONTEXT_LABEL.exec(line);
  if (!label) return undefined;
  const [, lead = "", , rest = ""] = label;
  return CONTEXT_LEAD.test(lead) ? rest : undefined;
}

/** Marked context, but no marked question: it is what else stands there, before or after. */
function withoutQuestionLabel(context: string[], instructions: string[]): PromptParts {
  const asked = instructions.filter((line) => /[?？]\s*$/.test(line));
  if (asked.length > 0) {
    return parts(
      asked.join(" "),
      context,
      instructions.filter((line) => !asked.includes(line)),
      true,
    );
  }
  const lines = context.filter((line) => line.trim() !== "");
  const last = lines.at(-1) ?? "";
  if (lines.length > 1 && /[?？]\s*$/.test(last)) {
    return parts(last, context.slice(0, context.lastIndexOf(last)), instructions, true);
  }
  return parts(instructions.join("\n").trim(), context, [], true);
}

/** No markers at all: a question after (or before) at least two sentences is asked about them. */
function unlabelled(text: string): PromptParts {
  const sentences = text.split("\n").flatMap(splitSentences);
  const last = sentences.findLastIndex((sentence) => /[?？]$/.test(sentence));
  if (last === -1 || sentences.length < 2) return parts(text.trim(), [], [], false);
  // Several questions in a row are asked together.
  const first = sentences.slice(0, last).findLastIndex((sentence) => !/[?？]$/.test(sentence)) + 1;
  const asked = sentences.slice(Math.max(first, last + 1 - MOST_QUESTIONS), last + 1);
  const rest = asked.reduce((left, question) => left.replace(question, "\n"), text);
  return parts(asked.join(" "), rest.trim() === "" ? [] : [rest], [], false);
}

function parts(question: string, context: string[], instructions: string[], marked: boolean): PromptParts {
  return {
    question: question.trim(),
    context: context.join("\n").trim(),
    instructions: instructions.join("\n").trim(),
    marked,
  };
}
