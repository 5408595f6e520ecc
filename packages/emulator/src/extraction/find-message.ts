import type { TextSource } from "./text-source.js";

const QUOTE = '["“„\'‘「『《]([^"“”„‘’「」『』《》\\n]{1,300})["”“’\'」』》]';
const SUBJECT = [
  new RegExp(
    `(?:\\bsubject(?: line)?|\\bbetreff(?:zeile)?|主题|标题)(?:\\s?(?:is|of|ist|lautet|为|是|叫|写))?\\s?[:：=]?\\s?${QUOTE}`,
    "iu",
  ),
  /(?:\bsubject(?: line)?|\bbetreff(?:zeile)?)\s?[:=]\s?([^\n,;.]{1,120})/iu,
  /(?:\bsubject(?: line)?|\bbetreff)\s([^\n,;.]{1,80}?)(?=\s(?:saying|that says|and (?:the )?(?:text|body|message|tell)|telling|und (?:dem )?(?:text|inhalt)|with|mit)\b|[,;.\n]|$)/iu,
  /(?:主题|标题)(?:是|为|叫|：|:)\s?([^\n，。,；]{1,60})/u,
  /\b(?:about|regarding|concerning)\s([^,.!?\n]{2,80}?)(?=\s(?:saying|that says|telling|and (?:tell|say|ask|let|inform))\b|[,.!?\n]|$)/iu,
  /(?:^|\s)(?:über|bezüglich|wegen)\s([^,.!?\n]{2,80})/iu,
  /关于([^，。,！？\n]{1,40}?)的(?:邮件|信|消息|短信)/u,
];
const CONTENT = [
  new RegExp(
    `(?:\\b(?:saying|says|say|reading|reads|(?:with the )?(?:text|body|message|content|words)(?: of)?)|\\b(?:(?:mit dem |und dem )?(?:text|inhalt|nachrichtentext|wortlaut)|schreib(?:e)? ihm|sag(?:e)? ihr)|内容(?:是|为|写)?|正文(?:是|为)?|写着|说)\\s?[:：,]?\\s?${QUOTE}`,
    "iu",
  ),
  /(?:\b(?:body|text|message|content|inhalt|nachricht)|内容|正文)\s?[:：]\s?(.+)$/isu,
  /(?:(?<!\d)[:：](?!\d|\/\/)\s?|\b(?:saying|that says|which says|reading|to say|to tell (?:him|her|them)|telling (?:him|her|them)|tell (?:him|her|them)|letting (?:him|her|them) know|let (?:him|her|them) know|informing (?:him|her|them))(?: that)?\s|\b(?:body|text|message)\sis\s)(.+)$/isu,
  /^say\s+(.+)$/isu,
  /\b(?:email|mail|message|text|write|inform|tell|notify|schreib)\b[^.\n]{0,80}\bthat\s(.+)$/isu,
  /(?:内容(?:是|为|写)|正文(?:是|为)|写着|告诉(?:他们?|她们?|大家|[\u4e00-\u9fff]{2,3}?)|说明|通知(?:他们?|她们?|大家)|说)[:：，]?\s?(.+)$/su,
];
const GERMAN_CLAUSE = /,\s(?:dass|daß)\s([^.!?\n]{3,300})/iu;
const REMINDER = [
  /\bremind me(?:\s[^,.\n]{0,40}?)?\s(?:to|about|that|of)\s(.+)$/isu,
  /\berinner(?:e|st)? mich(?: bitte)?[^,.\n]{0,60}?(?:daran)?,\s(.+)$/isu,
  /\berinner(?:e|st)? mich(?: bitte)?(?:\s[^,.\n]{0,40}?)?\s(?:an|daran)\s(.+)$/isu,
  /提醒我(?:要|去|在)?(.+)$/su,
];

/** The subject of a message that a request tells. */
export function findSubject(source: TextSource): string | undefined {
  for (const pattern of SUBJECT) {
    const said = pattern.exec(source.text)?.[1]?.trim();
    if (said) return source.use(said.replace(/["”“’'」]{1,3}$/u, ""));
  }
  return undefined;
}

/** What a message, a note or a reminder is to say. */
export function findMessage(source: TextSource): string | undefined {
  const { text } = source;
  const clause = GERMAN_CLAUSE.exec(text)?.[1];
  if (clause !== undefined) return mainClause(clause.trim());
  for (const pattern of CONTENT) {
    const said = pattern.exec(text)?.[1];
    if (said !== undefined) return source.use(trim(said, text));
  }
  const reminder = findReminder(source);
  return reminder ?? source.takeQuoted();
}

/** What somebody wants to be reminded of, without when. */
export function findReminder({ text, moments }: TextSource): string | undefined {
  for (const pattern of REMINDER) {
    const said = pattern.exec(text)?.[1];
    if (said === undefined) continue;
    const start = text.length - said.length;
    const when = moments.find(({ index }) => index === start);
    return trim(when === undefined ? said : text.slice(when.end));
  }
  return undefined;
}

/** A request may be a question without what is to be said being one. */
const ASKED_POLITELY =
  /^\W{0,3}(?:can|could|would|will|kannst|könntest|können|könnten|würdest|你能|能不能|可以)/iu;

function trim(text: string, request = ""): string {
  const said = ASKED_POLITELY.test(request) ? text.trim().replace(/[?？]$/u, "") : text.trim();
  const quoted = /^["“„'‘「]([^"“”„「」]+)["”“'’」]/u.exec(said)?.[1];
  // A quote inside is kept; marks around it all and the end of the sentence are not.
  return (quoted ?? said)
    .replace(/["”“」]+$/u, "")
    .replace(/[.。]$/u, "")
    .trim();
}

/** "Ich später komme", as it stands behind "dass", is "ich komme später". */
function mainClause(clause: string): string {
  const match = /^(ich|wir|er|sie|es|du|ihr) (.+) (\p{Ll}+)$/iu.exec(clause);
  return match ? `${match[1]} ${match[3]} ${match[2]}` : clause;
}
