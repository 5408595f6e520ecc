import { stripPromptMarkers } from "../language/prompt-markers.js";
import type { ChatMessage } from "./chat-request.js";
import { withoutSchemas } from "./json-schema-blocks.js";
import { readPrompt } from "./read-prompt.js";

/** The result of a tool that was called since the last user message. */
export interface ToolResult {
  name: string;
  /** JSON text of the arguments it was called with. */
  arguments: string;
  text: string;
}

/** Text that may be answered from. */
export interface Source {
  text: string;
  origin: "tool" | "prompt" | "system" | "history";
}

/** A conversation as the local models see it. */
export interface Conversation {
  /** The last user message, without markers. */
  userText: string;
  /** What it asks. */
  question: string;
  /** Where an answer may come from, best first. */
  sources: Source[];
  /** Whether somebody gave material to answer from, and not only earlier turns. */
  hasContext: boolean;
  /** Of the current turn. */
  toolResults: ToolResult[];
  /** What the images in the last user message look like, when there are some. */
  seenImages?: string;
  systemText: string;
  /** What it says but for a context that it marks as such. */
  systemInstructions: string;
  /** What the user asked before. */
  earlierQuestion?: string;
}

const LONGEST_TEXT = 400_000;
const LONGEST_WORD = 200;
const INSTRUCTION =
  /^\W*(?:you(?:'re| are| will| must| should| can)\b|answer|use|if you|given|respond|reply|keep|only|do not|don't|never|always|please|based on|be |act as|your (?:task|job|goal|role|name)|think|follow|let's|when (?:asked|answering)|return|output|format|cite|assistant|你是|请|如果你|回答|不要|仅|使用)/i;

/** @param seenImages what the images in the last user message look like */
export function readConversation(sent: readonly ChatMessage[], seenImages?: string): Conversation {
  const messages = sent.map((message) => ({ ...message, text: readable(message.text) }));
  const lastUser = messages.findLastIndex(({ role }) => role === "user");
  const user = messages[lastUser];
  const earlier = messages.slice(0, Math.max(0, lastUser)).findLast(({ role }) => role === "user");
  const userText = stripPromptMarkers(user?.text ?? "");
  const prompt = readPrompt(userText);
  const toolResults = readToolResults(messages, lastUser);
  const systemText = messages
    .filter(({ role }) => role === "system")
    .map(({ text }) => text)
    .join("\n");
  // A schema says how to answer, not what.
  const system = readSystem(withoutSchemas(systemText));

  const sources: Source[] = toolResults.map(({ text }) => ({ text, origin: "tool" }));
  if (prompt.context !== "") sources.push({ text: prompt.context, origin: "prompt" });
  if (system.text !== "") sources.push({ text: system.text, origin: "system" });
  for (const [index, message] of messages.entries()) {
    const current =
      index === lastUser || message.role === "system" || (message.role === "tool" && index > lastUser);
    if (!current && message.text !== "") {
      const text = stripPromptMarkers(message.text);
      const given = message.role === "user" ? readPrompt(text) : undefined;
      sources.push({
        text: given?.marked ? given.context : text,
        origin: message.role === "tool" ? "tool" : "history",
      });
    }
  }
  return {
    userText,
    question: prompt.question,
    sources,
    hasContext: prompt.marked || system.marked || sources.some(({ origin }) => origin !== "history"),
    toolResults,
    seenImages,
    systemText,
    systemInstructions: system.instructions,
    ...(earlier !== undefined && { earlierQuestion: readPrompt(stripPromptMarkers(earlier.text)).question }),
  };
}

/** The text as far as it is read: not endless, and without the long runs that pasted data and padding have. */
function readable(text: string): string {
  return text
    .slice(0, LONGEST_TEXT)
    .replace(/\S{400,}/g, (run) => run.slice(0, LONGEST_WORD))
    .replace(/\s{40,}/g, "\n\n");
}

/** A system prompt without its instructions; a marked context in it is taken whole. */
function readSystem(systemText: string): { text: string; marked: boolean; instructions: string } {
  const { context, marked, instructions } = readPrompt(systemText);
  if (marked) return { text: context, marked, instructions };
  const material = (instructions || systemText)
    .split("\n")
    .map((line) => withoutInstructions(line))
    .filter((line) => line !== "");
  return { text: material.join("\n"), marked, instructions: systemText };
}

function withoutInstructions(line: string): string {
  return (line.match(/[^.!?。！？]+(?:[.!?。！？]+(?=\s|$)|[。！？]|$)|[.!?。！？]+/g) ?? [])
    .filter((sentence) => !INSTRUCTION.test(sentence))
    .join("")
    .trim();
}

function readToolResults(messages: readonly ChatMessage[], lastUser: number): ToolResult[] {
  const calls = new Map(
    messages.flatMap(({ toolCalls }) => toolCalls.map((call) => [call.id, call] as const)),
  );
  return messages
    .slice(lastUser + 1)
    .filter(({ role }) => role === "tool")
    .map(({ text, toolCallId }) => {
      const call = calls.get(toolCallId ?? "");
      return { name: call?.name ?? "tool", arguments: call?.arguments ?? "{}", text };
    });
}
