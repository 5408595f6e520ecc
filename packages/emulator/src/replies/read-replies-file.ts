import { readFile } from "node:fs/promises";
import type { Document, LineCounter, Node } from "yaml";
import { Field } from "../checks/field.js";
import { isRecord } from "../json/is-record.js";
import { readReplyRule } from "../state/read-reply-rule.js";
import { type ReplyRule, ReplyStore } from "../state/reply-store.js";

/**
 * Reads scripted answers from a file of YAML or JSON: `{ replies: [ … ] }`. A `text` between slashes is a regular
 * expression.
 *
 * @throws Error that names the lines of what is wrong
 */
export async function readRepliesFile(path: string): Promise<ReplyRule[]> {
  // A parser that only some need.
  const { LineCounter, parseDocument } = await import("yaml");
  const lines = new LineCounter();
  const document = parseDocument(await readFile(path, "utf8"), { lineCounter: lines, uniqueKeys: true });
  const [broken] = document.errors;
  if (broken) {
    const { line, col } = lines.linePos(broken.pos[0]);
    throw new Error(`${path}:${line}:${col} ${broken.message.split("\n")[0]}`);
  }
  const content: unknown = document.toJS();
  const at = (where: (string | number)[]) => `${path}:${lineOf(document, lines, where)}`;
  if (!isRecord(content)) throw new Error(`${at([])} The file must hold an object with replies.`);
  const body = Field.body(content);
  for (const name of Object.keys(content)) {
    if (name !== "replies") body.get(name).refuse("is unknown here; there is replies");
  }
  const rules = (body.get("replies").items("an array of replies") ?? []).map((reply) => readReplyRule(reply));
  const problems = body.noted.map((problem) => `${at(pathOf(problem))} ${problem}.`);
  if (problems.length > 0) throw new Error(problems.join("\n"));
  const replies = rules.filter((rule) => rule !== undefined);
  for (const [index, rule] of replies.entries()) {
    try {
      new ReplyStore().add(rule);
    } catch (error) {
      throw new Error(`${at(["replies", index])} ${error instanceof Error ? error.message : error}`);
    }
  }
  return replies;
}

/** @throws Error as `readRepliesFile` */
export async function readRepliesFiles(paths: readonly string[]): Promise<ReplyRule[]> {
  return (await Promise.all(paths.map(readRepliesFile))).flat();
}

/** Of `replies[1].when.text must be …`: the way to the field. */
function pathOf(problem: string): (string | number)[] {
  const [path = ""] = problem.split(" ", 1);
  return (path.match(/[^.[\]]+/g) ?? []).map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

/** The line of a field, or of the nearest one around it that is there. */
function lineOf(document: Document, lines: LineCounter, path: (string | number)[]): number {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true) as Node | undefined;
    if (node?.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}
