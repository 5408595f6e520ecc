import { randomUUID } from "node:crypto";
import type { ReplyRule, ReplyText } from "./reply-store.js";

type ReplyFunction = Extract<ReplyText, (...request: never[]) => unknown>;

/** The replies that are code. JSON holds no code: there they have names, by which this process finds them again. */
export class ReplyFunctions {
  private readonly names = new Map<ReplyFunction, string>();
  private readonly functions = new Map<string, ReplyFunction>();

  /** @param rules those of the options, which are there again after a restart */
  constructor(rules: readonly ReplyRule[] = []) {
    for (const [index, { reply }] of rules.entries()) {
      if (typeof reply === "function" && !this.names.has(reply)) this.name(reply, `option-${index}`);
    }
  }

  nameOf(code: ReplyFunction): string {
    return this.names.get(code) ?? this.name(code, randomUUID());
  }

  find(name: string): ReplyFunction | undefined {
    return this.functions.get(name);
  }

  private name(code: ReplyFunction, name: string): string {
    this.names.set(code, name);
    this.functions.set(name, code);
    return name;
  }
}
