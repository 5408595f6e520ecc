import { readFileSync } from "node:fs";
import { parse } from "yaml";

/** What an answer to an everyday prompt must be like; every given member must hold. Case does not matter. */
export interface Expectation {
  /** All of these stand in it. */
  has?: string[];
  /** One of these stands in it. */
  any?: string[];
  /** None of these stands in it. */
  not?: string[];
  matches?: string;
  sentences?: number;
  /** Lines that are items of a list, and no other lines. */
  bullets?: number;
  minBullets?: number;
  maxWords?: number;
  maxCharacters?: number;
  /** It is JSON, in a block of code or not, with these members. */
  json?: Record<string, unknown>;
  jsonArray?: unknown[];
  /** The first tool that is called. */
  tool?: string;
  /** Its arguments; texts that begin with `~` are part of the argument. */
  args?: Record<string, unknown>;
  noTool?: boolean;
}

export interface EverydayPrompt {
  kind: string;
  system?: string;
  ask?: string;
  messages?: Record<string, unknown>[];
  /** Names of tools in `tools.yaml`. */
  tools?: string[];
  expect: Expectation;
}

/** What a prompt is answered with. */
export interface EverydayAnswer {
  content: string | null;
  tool_calls?: { function: { name: string; arguments: string } }[];
}

const FOLDER = new URL("../../everyday/", import.meta.url);

/** The prompts of a file of the folder `everyday`. */
export function everydayPrompts(name: string): EverydayPrompt[] {
  return read<{ prompts: EverydayPrompt[] }>(name).prompts;
}

/** The prompt as a request of chat completions. */
export function requestOf({ ask, system, messages = [], tools }: EverydayPrompt): Record<string, unknown> {
  const known = read<Record<string, unknown>>("tools");
  return {
    model: "local-chat",
    messages: [
      ...(system === undefined ? [] : [{ role: "system", content: system }]),
      ...messages,
      ...(ask === undefined ? [] : [{ role: "user", content: ask }]),
    ],
    ...(tools && { tools: tools.map((tool) => ({ type: "function", function: known[tool] })) }),
  };
}

/** What is wrong with an answer; nothing where it is right. */
export function complaintsOf(expected: Expectation, { content, tool_calls = [] }: EverydayAnswer): string[] {
  const text = content ?? "";
  const lower = text.toLowerCase();
  const stands = (part: string) => lower.includes(part.toLowerCase());
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const bullets = lines.filter((line) => /^\s*(?:[-*•]|\d+[.)、])\s*\S/.test(line)).length;
  const complaints = [
    ...(expected.has ?? []).filter((part) => !stands(part)).map((part) => `lacks "${part}"`),
    ...(expected.not ?? []).filter(stands).map((part) => `holds "${part}"`),
    expected.any && !expected.any.some(stands) && `holds none of ${expected.any.join(", ")}`,
    expected.matches && !new RegExp(expected.matches, "i").test(text) && `does not match ${expected.matches}`,
    expected.sentences && sentencesOf(text) !== expected.sentences && `has ${sentencesOf(text)} sentences`,
    expected.bullets &&
      (bullets !== expected.bullets || lines.length !== bullets) &&
      `has ${bullets} items in ${lines.length} lines`,
    expected.minBullets && bullets < expected.minBullets && `has ${bullets} items`,
    expected.maxWords &&
      text.split(/\s+/).length > expected.maxWords &&
      `has ${text.split(/\s+/).length} words`,
    expected.maxCharacters && text.length > expected.maxCharacters && `has ${text.length} characters`,
    expected.json &&
      !holds(jsonOf(text), expected.json) &&
      `is not JSON with ${JSON.stringify(expected.json)}`,
    expected.jsonArray &&
      JSON.stringify(jsonOf(text)) !== JSON.stringify(expected.jsonArray) &&
      `is not ${JSON.stringify(expected.jsonArray)}`,
    expected.noTool && tool_calls.length > 0 && `calls ${tool_calls[0]?.function.name}`,
    expected.tool && tool_calls[0]?.function.name !== expected.tool && `does not call ${expected.tool}`,
    expected.args &&
      !holds(jsonOf(tool_calls[0]?.function.arguments ?? ""), expected.args) &&
      `calls with ${tool_calls[0]?.function.arguments}`,
  ];
  return complaints.filter((complaint) => typeof complaint === "string");
}

function read<T>(name: string): T {
  return parse(readFileSync(new URL(`${name}.yaml`, FOLDER), "utf8")) as T;
}

function sentencesOf(text: string): number {
  return (text.trim().match(/[^.!?。！？]+(?:[.!?。！？]+["”“’)]*(?=\s|$)|[。！？]|$|\.(?=\S))+/g) ?? [])
    .length;
}

function jsonOf(text: string): unknown {
  const block = /```(?:json)?\s*([\s\S]*?)```/.exec(text)?.[1] ?? text;
  try {
    return JSON.parse(block);
  } catch {
    return undefined;
  }
}

function holds(given: unknown, expected: Record<string, unknown>): boolean {
  if (typeof given !== "object" || given === null) return false;
  return Object.entries(expected).every(([name, value]) => {
    const found = (given as Record<string, unknown>)[name];
    if (typeof value !== "string") return found === value;
    const text = typeof found === "string" ? found.toLowerCase() : "";
    const wanted = value.toLowerCase();
    return wanted.startsWith("~") ? text.includes(wanted.slice(1)) : text === wanted;
  });
}
