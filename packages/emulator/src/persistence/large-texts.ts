import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeAside } from "./write-aside.js";

/** From this many characters on a text has a file of its own: pictures and films that clients sent, mostly. */
const LARGE = 65_536;
const ELSEWHERE = "\0#";
const AS_IT_STANDS = "\0=";

/**
 * Large texts, each in a file that is named after its SHA-256, so that they are written once however often what holds them
 * changes. In the JSON a text that begins with NUL stands for one of them, or for itself.
 */
export class LargeTexts {
  private readonly folder: string;
  private readonly known = new Set<string>();

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /** JSON of a value, its large texts written. @param used told of each of them */
  stringify(value: unknown, used?: Set<string>): string {
    return JSON.stringify(value, (_, member: unknown) => {
      if (typeof member !== "string") return member;
      if (member.length >= LARGE && isWellFormed(member)) {
        const name = this.keep(member);
        used?.add(name);
        return ELSEWHERE + name;
      }
      return member.startsWith("\0") ? AS_IT_STANDS + member : member;
    });
  }

  /** @throws Error when a text is not there, or is not what was written */
  parse(json: string): unknown {
    return JSON.parse(json, (_, member: unknown) => {
      if (typeof member !== "string" || !member.startsWith("\0")) return member;
      return member.startsWith(ELSEWHERE)
        ? this.read(member.slice(ELSEWHERE.length))
        : member.slice(AS_IT_STANDS.length);
    });
  }

  /** Deletes all but these. */
  retain(used: ReadonlySet<string>): void {
    for (const name of readdirSync(this.folder)) {
      if (!used.has(name)) rmSync(join(this.folder, name), { force: true });
    }
    for (const name of this.known) if (!used.has(name)) this.known.delete(name);
  }

  private keep(text: string): string {
    const name = createHash("sha256").update(text).digest("hex");
    if (this.known.has(name)) return name;
    const path = join(this.folder, name);
    if (!existsSync(path)) writeAside(path, [text]);
    this.known.add(name);
    return name;
  }

  private read(name: string): string {
    const path = join(this.folder, /^[0-9a-f]{64}$/.test(name) ? name : "no-such-text");
    if (!existsSync(path)) throw new Error(`the file ${path} is missing`);
    const text = readFileSync(path, "utf8");
    if (createHash("sha256").update(text).digest("hex") !== name) {
      throw new Error(`the file ${path} is not what was written`);
    }
    this.known.add(name);
    return text;
  }
}

/** Half a pair of surrogates has no UTF-8, and would be lost in a file. */
function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
