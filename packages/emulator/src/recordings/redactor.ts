import { replaceSpans } from "./replace-spans.js";

/** What stands where a secret was. */
export const REDACTED = "[redacted]";

/** Shorter keys, such as `ollama`, are words: no secrets, and to be found everywhere. */
const SHORTEST_SECRET = 8;

/** Parameters of links that whoever has them may use: keys, signatures, and what they are made of. */
const SECRET_PARAMETER =
  "(?:x-[a-z]{2,8}-(?:signature|credential|security-token)|[a-z]{0,16}_?signature|sig|[a-z]{0,16}_?token|security-token|api[_-]?key|key|key-pair-id|[a-z]{0,8}access_?key_?id|googleaccessid|policy|auth(?:_key)?|authorization|secret|password|credential)";
const SECRET_MEMBER =
  /^(?:(?:proxy-)?authorization|(?:set-)?cookie|x-api-key|api_?key|access_?token|refresh_?token|client_?secret|secret_?access_?key|security_?token|password|secret)$/i;

/**
 * What looks like a secret: a group that is none, then one that is. Each is read in linear time: repetitions are bounded, or
 * can begin in one place only.
 */
const PATTERNS: readonly RegExp[] = [
  // Keys: not inside of words (`task-…`), but after what was escaped.
  /((?:^|[^A-Za-z0-9]|%[0-9A-Fa-f]{2}|\\[bfnrt]))(sk-[A-Za-z0-9_-]{16,})/g,
  /(\bbearer(?:\s|%20|\+){1,4})([A-Za-z0-9._~+/=-]{16,})/gi,
  // Tokens that are signed.
  /((?:^|[^A-Za-z0-9_-]))(eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})/g,
  new RegExp(
    String.raw`((?:[?&;]|%3f|%26|\\u0026)${SECRET_PARAMETER}(?:=|%3d))((?:(?!%26)[^\s&"'<>()[\]{}\\])+)`,
    "gi",
  ),
  // Passwords in addresses.
  /(\/\/[^\s/@:"'\\]{1,64}:)([^\s/@"'\\]{1,128})(?=@)/g,
  /("(?:(?:proxy-)?authorization|x-api-key|api_?key|access_?token|refresh_?token|client_?secret|secret_?access_?key|security_?token|password|secret)"\s{0,8}:\s{0,8}")([^"\\]+)/gi,
];
const PARAMETER_NAME = new RegExp(`^${SECRET_PARAMETER}$`, "i");

/** Whether a parameter of a link is a secret by its name. */
export function isSecretParameter(name: string): boolean {
  return PARAMETER_NAME.test(name);
}

/** Whether a member of JSON holds a secret by its name. `token` does not: probabilities of chat have it. */
export function isSecretMember(name: string): boolean {
  return SECRET_MEMBER.test(name);
}

interface Span {
  start: number;
  end: number;
}

/** Takes secrets out of what is written: those that it is told of, in whatever form, and what looks like one. */
export class Redactor {
  readonly #known: RegExp | undefined;
  readonly #bytes: readonly Buffer[];

  constructor(secrets: readonly (string | null | undefined)[]) {
    const forms = [...new Set(secrets.flatMap((secret) => (isSecret(secret) ? formsOf(secret) : [])))];
    forms.sort((one, other) => other.length - one.length);
    this.#bytes = forms.map((form) => Buffer.from(form));
    this.#known = forms.length === 0 ? undefined : new RegExp(forms.map(escapePattern).join("|"), "g");
  }

  /** A text without secrets. */
  text(text: string): string {
    return this.texts([text])[0] ?? "";
  }

  /** Texts that are one in pieces: secrets that are cut by their ends are found, too. */
  texts(pieces: readonly string[]): string[] {
    const spans = this.#spansOf(pieces.join(""));
    return replaceSpans(
      pieces,
      spans.map((span) => ({ ...span, text: REDACTED })),
    );
  }

  /** Bytes with the secrets that it is told of written over: they stay as many as they were. */
  bytes(bytes: Uint8Array): Uint8Array {
    const copy = Buffer.from(bytes);
    for (const form of this.#bytes) {
      for (let at = copy.indexOf(form); at >= 0; at = copy.indexOf(form, at + form.length)) {
        copy.fill("*", at, at + form.length);
      }
    }
    return copy;
  }

  /** In order, none in another. */
  #spansOf(text: string): Span[] {
    const found: Span[] = [];
    if (this.#known) {
      for (const match of text.matchAll(this.#known)) {
        found.push({ start: match.index, end: match.index + match[0].length });
      }
    }
    for (const pattern of PATTERNS) {
      for (const match of text.matchAll(pattern)) {
        const [, before = "", secret = ""] = match;
        if (secret === REDACTED) continue;
        const start = match.index + before.length;
        found.push({ start, end: start + secret.length });
      }
    }
    found.sort((one, other) => one.start - other.start);
    const spans: Span[] = [];
    for (const span of found) {
      const last = spans.at(-1);
      if (last && span.start < last.end) last.end = Math.max(last.end, span.end);
      else spans.push(span);
    }
    return spans;
  }
}

function isSecret(secret: string | null | undefined): secret is string {
  return secret !== null && secret !== undefined && secret.length >= SHORTEST_SECRET;
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

/** The shapes in which a text stands inside of others. */
function formsOf(secret: string): string[] {
  const inJSON = JSON.stringify(secret).slice(1, -1);
  const inURL = encodeURIComponent(secret);
  const hex = Buffer.from(secret).toString("hex");
  return [
    ...[secret, inJSON, JSON.stringify(inJSON).slice(1, -1), secret.replaceAll("/", "\\/")],
    ...[inURL, inURL.replace(/%../g, (code) => code.toLowerCase()), encodeURIComponent(inURL)],
    ...[hex, hex.toUpperCase(), ...base64FormsOf(secret)],
  ];
}

/** What its Base64 holds wherever it stands in a longer text: the characters that nothing around it changes. */
function base64FormsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((before) => {
    const shifted = Buffer.concat([Buffer.alloc(before), bytes]);
    const start = Math.ceil((before * 8) / 6);
    const end = Math.floor((shifted.length * 8) / 6);
    return (["base64", "base64url"] as const).map((encoding) => shifted.toString(encoding).slice(start, end));
  });
}
