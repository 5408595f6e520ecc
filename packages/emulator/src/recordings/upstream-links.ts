import { createHash } from "node:crypto";
import { isSecretParameter } from "./redactor.js";
import { type Replacement, replaceSpans } from "./replace-spans.js";

/** Where files that an upstream's answers lead to are served, below the emulator's own origin. */
export const LINK_PREFIX = "/recorded/";

/** As they stand in text and in JSON, where programs escape slashes and ampersands. */
const LINK = /https?:(?:\\?\/){2}(?:[!#$%&*+,\-./0-9:;=?@A-Z_a-z~]|\\\/|\\u0026)+/g;
const TRAILING = ".,;:!?*_~";
const MEMBER = /"(?!callback|webhook|notify)[\w-]{0,40}urls?"\s{0,8}:\s{0,8}(?:\[\s{0,8})?"$/i;
const LONGEST_BEFORE = 80;
const MEDIA_PATH =
  /\.(?:png|jpe?g|webp|gif|bmp|tiff?|heic|avif|svg|mp4|mov|webm|m4v|mp3|wav|opus|ogg|flac|aac|m4a|pcm|zip|glb)$/i;
/** What changes when a link is signed anew. */
const OF_SIGNATURE = /^(?:x-[a-z]{2,8}-|expire|date|time|timestamp|nonce|algorithm|version)/i;

/** How texts are led. */
export interface LeadOptions {
  /** The origin that links are to lead to. */
  origin: string;
  /** Whether each member that is named as a link is one to a file: in chat, it may be a page that is quoted. */
  filesOnly: boolean;
}

/**
 * Leads the links of an upstream's answers through the emulator, so that what they lead to is recorded, too. What they are signed
 * with stays here: the links that callers get, and files hold, have a name in its place that is the same each time.
 */
export class UpstreamLinks {
  readonly #origin: string;
  readonly #baseURL: string;
  readonly #targets = new Map<string, string>();

  constructor(baseURL: string) {
    this.#baseURL = baseURL;
    this.#origin = new URL(baseURL).origin;
  }

  /**
   * A text, whole or in pieces, with its links led to an origin: those to the upstream itself, signed ones, and those to files. Other links, such as
   * pages that an answer names, stay.
   */
  lead(pieces: readonly string[], options: LeadOptions): string[] {
    const text = pieces.join("");
    const replacements: Replacement[] = [];
    for (const { 0: found, index } of text.matchAll(LINK)) {
      const raw = withoutTrailing(found);
      const url = unescaped(raw);
      const before = text.slice(Math.max(0, index - LONGEST_BEFORE), index);
      const led = URL.canParse(url) ? this.#led(new URL(url), url, { ...options, before }) : undefined;
      if (led === undefined) continue;
      const written = raw.includes("\\u0026") ? led.replaceAll("&", "\\u0026") : led;
      replacements.push({ start: index, end: index + raw.length, text: written });
    }
    return replaceSpans(pieces, replacements);
  }

  /** A text of a caller with links of the emulator's origin as the upstream knows them. */
  restore(text: string, origin: string): string {
    if (!text.includes(origin + LINK_PREFIX)) return text;
    return text.split(origin).reduce((whole, part) => {
      const path = /^\/recorded\/[0-9a-f]{12}\/[\w.-]+/.exec(part)?.[0] ?? "";
      const target = this.#targets.get(path);
      return whole + (target === undefined ? origin + part : target + part.slice(path.length));
    });
  }

  /** What a path below {@link LINK_PREFIX} stands for; undefined for what no answer led to. */
  target(path: string): string | undefined {
    return this.#targets.get(path);
  }

  #led(
    url: URL,
    text: string,
    { origin, filesOnly, before }: LeadOptions & { before: string },
  ): string | undefined {
    const isSigned = [...url.searchParams.keys()].some(isSecretParameter);
    const isOwn = url.origin === this.#origin;
    if (isOwn && text === url.origin) return origin;
    if (text.startsWith(`${this.#baseURL}/`) && !isSigned) {
      return `${origin}/v1${text.slice(this.#baseURL.length)}`;
    }
    const isMedia = MEDIA_PATH.test(url.pathname);
    const isNamed = MEMBER.test(before) && (isMedia || filesOnly);
    if (!isOwn && !isSigned && !isNamed && !(isMedia && before.endsWith("]("))) return undefined;
    const path = linkPath(url, isOwn, isSigned);
    // The one that was signed last is good for longest.
    this.#targets.set(path, text);
    return origin + path;
  }
}

/** The same for the same file each time, also when it is signed anew, or the upstream listens on another port. */
function linkPath(url: URL, isOwn: boolean, isSigned: boolean): string {
  const query = [...url.searchParams]
    .filter(([name]) => !isSecretParameter(name) && !(isSigned && OF_SIGNATURE.test(name)))
    .map((pair) => pair.join("="))
    .sort();
  const hash = createHash("sha256").update([isOwn ? "" : url.origin, url.pathname, ...query].join("\n"));
  const name = url.pathname
    .split("/")
    .at(-1)
    ?.replace(/[^\w.-]/g, "_")
    .slice(-64)
    .replace(/^\.+/, "");
  return `${LINK_PREFIX}${hash.digest("hex").slice(0, 12)}/${name || "file"}`;
}

function withoutTrailing(link: string): string {
  let end = link.length;
  while (TRAILING.includes(link.charAt(end - 1))) end--;
  return link.slice(0, end);
}

function unescaped(link: string): string {
  return link.replaceAll("\\/", "/").replaceAll("\\u0026", "&");
}
