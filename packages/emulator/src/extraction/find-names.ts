import { conceptsOfStem } from "../language/concept-lexicon.js";
import { stem } from "../language/stem.js";

const WORD = "\\p{Lu}[\\p{L}'’.&-]*\\p{L}|\\p{Lu}";
const PHRASE = `(?:${WORD})(?:\\s+(?:(?:of|de|la|del|von|van|da|the)\\s+(?=\\p{Lu}))?(?:${WORD})){0,3}`;
const NAME_AFTER = new RegExp(
  `\\b(?:[Ii] am|[Ii]'m|[Mm]y name is|[Nn]ame is|[Cc]alled|[Nn]amed|[Ff]rom|[Bb]y|[Ff]or|[Ww]ith|[Tt]o|[Cc]ustomer|[Dd]ear|[Mm]eet|[Uu]ser|Dr\\.|Mr\\.|Mrs\\.|Ms\\.)\\s+(${PHRASE})`,
  "gu",
);
const ANY_PHRASE = new RegExp(`(?<![\\p{L}\\p{N}])(${PHRASE})`, "gu");
const NOT_A_NAME =
  /^(?:I|A|An|The|This|That|What|Who|Where|When|Why|How|Which|Is|Are|Was|Were|Do|Does|Did|Can|Could|Will|Would|Should|Please|Book|Get|Find|Show|Tell|Give|Send|Create|Make|Add|Set|Extract|Schedule|Check|Look|Search|Call|Use|My|Our|Your|His|Her|Their|It|He|She|We|They|You|If|And|Or|But|In|On|At|For|From|To|Of|With|By|Order|Reserve|Write|Read|Return|Yes|No|Hello|Hi|Hey|Dear|Thanks|Thank|Convert|Translate|Classify|Analyze|Analyse|Summari[sz]e|List|Name|Email|Age|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|March|April|May|June|July|August|September|October|November|December|Today|Tomorrow|JSON|Remind|Compare|Calculate|Compute|Plan|Fly|Weather|Answer|Question|Context|User|Customer)$/;

/** Names of people (or things, when `things`), the likeliest first. */
export function findNames(text: string, things = false): string[] {
  const names = things ? [] : [...text.matchAll(NAME_AFTER)].map((match) => cleanName(match[1] ?? ""));
  const phrases = [...text.matchAll(ANY_PHRASE)]
    .filter((match) => !startsSentence(text, match.index) || !isPlainWord(match[1] ?? ""))
    .map((match) => cleanName(match[1] ?? ""));
  // Two words in capitals are a person more often than one.
  phrases.sort((left, right) => Number(right.includes(" ")) - Number(left.includes(" ")));
  const chinese = [
    ...text.matchAll(/(?:我叫|名叫|姓名[是为：:]\s*|联系人[是为：:]\s*)([\u4e00-\u9fff]{2,4})/g),
  ].map((match) => match[1] ?? "");
  return [...new Set([...chinese, ...names, ...phrases])].filter((name) => name !== "");
}

/** The capitalised phrases of a text, in order. */
export function capitalisedPhrases(text: string): string[] {
  return [...text.matchAll(ANY_PHRASE)]
    .map((match) => cleanName(match[1] ?? ""))
    .filter((name) => name !== "");
}

/** The place that a property of this name means: where from, where to, or just where. */
export function findPlace(text: string, name: string, description: string): string | undefined {
  const direction = /origin|from|depart|source|start/.test(name)
    ? "from|leaving|departing"
    : /destination|\bto\b|arriv|target/.test(name)
      ? "to|into|towards|for"
      : undefined;
  const prepositions = direction ?? "in|at|near|around|for|to|of|from|over";
  const named = new RegExp(`\\b(?:${prepositions})\\s+(?:the city of\\s+|the\\s+)?(${PHRASE})`, "u").exec(
    text,
  )?.[1];
  if (named && cleanName(named) !== "") return cleanName(named);
  const chinese =
    /(?:在|到|去|从|查询|查一下)?([\u4e00-\u9fff]{2,6}?)(?:市|的?(?:今天|明天|现在)?的?天气|的?气温)/.exec(
      text,
    )?.[1];
  if (chinese) return chinese;
  if (direction === undefined) {
    const phrase = capitalisedPhrases(text)[0];
    if (phrase !== undefined) return phrase;
  }
  if (!/city|location|place|town|country/.test(`${name} ${description}`)) return undefined;
  const lower = new RegExp(
    `\\b(?:${prepositions})\\s+(?!the\\b|a\\b|an\\b|my\\b|this\\b|celsius|fahrenheit)([a-z]{3,20})(?=[\\s?.!,]|$)`,
  ).exec(text)?.[1];
  return lower;
}

function startsSentence(text: string, index: number): boolean {
  return /(?:^|[.!?:\n]\s*)$/.test(text.slice(Math.max(0, index - 3), index));
}

/** A single word that has a meaning of its own is no name at the start of a sentence. */
function isPlainWord(phrase: string): boolean {
  return !phrase.includes(" ") && conceptsOfStem(stem(phrase.toLowerCase())).length > 0;
}

function cleanName(phrase: string): string {
  const words = phrase.replace(/['’]s$/, "").split(/\s+/);
  while (words.length > 0 && NOT_A_NAME.test(words[0] ?? "")) words.shift();
  while (words.length > 0 && NOT_A_NAME.test(words.at(-1) ?? "")) words.pop();
  return words.join(" ").replace(/[.&-]+$/, "");
}
