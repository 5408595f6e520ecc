import { conceptsOfStem } from "../language/concept-lexicon.js";
import { findKnownPlaces } from "../language/places.js";
import { stem } from "../language/stem.js";

const WORD = "\\p{Lu}[\\p{L}'’.&-]{0,40}\\p{L}|\\p{Lu}";
/** Names do not run over the end of a line. */
export const PHRASE = `(?:${WORD})(?:[ \\t](?:(?:of|de|la|del|von|van|da|the|&|und)[ \\t](?=\\p{Lu}))?(?:${WORD})){0,3}`;
const NAME_AFTER = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:[Ii] am|[Ii]'m|[Mm]y name is|[Nn]ame is|[Cc]alled|[Nn]amed|[Ff]rom|[Bb]y|[Ff]or|[Ww]ith|[Tt]o|[Cc]ustomer|[Dd]ear|[Mm]eet|[Uu]ser|Dr\\.|Mr\\.|Mrs\\.|Ms\\.|[Ii]ch heiße|[Ii]ch bin|[Mm]ein Name ist|[Nn]ame ist|[Hh]eißt|[Nn]amens|Herrn?|Frau|[Kk]undin|[Kk]unde|[Ll]iebe[r]?|[Vv]on|[Mm]it|[Ff]ür|[Aa]n)[ \\t](${PHRASE})`,
  "gu",
);
/** A word and the first one behind a colon in front of it are no name of two words. */
const ANY_PHRASE = new RegExp(`(?<![\\p{L}\\p{N}])(${PHRASE})`, "gu");
const NOT_A_NAME = new RegExp(
  `^(?:${[
    "I|A|An|The|This|That|These|Those|What|Who|Where|When|Why|How|Which|Is|Are|Was|Were|Do|Does|Did|Can|Could|Will|Would|Should|Please|Book|Get|Find|Show|Tell|Give|Send|Create|Make|Add|Set|Extract|Schedule|Check|Look|Search|Call|Use|My|Our|Your|His|Her|Their|It|He|She|We|They|You|If|And|Or|But|In|On|At|For|From|To|Of|With|By|Order|Reserve|Write|Read|Return|Yes|No|Hello|Hi|Hey|Dear|Thanks|Thank|Convert|Translate|Classify|Analyze|Analyse|Summari[sz]e|List|Name|Email|Age|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|March|April|May|June|July|August|September|October|November|December|Today|Tomorrow|JSON|Remind|Compare|Calculate|Compute|Plan|Fly|Weather|Answer|Question|Context|User|Customer|Cancel|Refund|Delete|Update|Let|Need|City|Note|Subject|Text|Output|Also|There|As|After|Before|Best|Regards|Sincerely|Contact|Phone",
    "Ich|Du|Er|Wir|Ihr|Sie|Es|Der|Die|Das|Den|Dem|Des|Ein|Eine|Einen|Einem|Einer|Mein|Meine|Unser|Unsere|Was|Wer|Wie|Wo|Wann|Warum|Welche[rsn]?|Bitte|Danke|Hallo|Guten|Tag|Abend|Gib|Suche?|Finde|Buche?|Reserviere?|Schicke?|Schreibe?|Sende?|Lies|Nenne|Liste|Erstelle?|Lege?|Rechne|Storniere?|Erinnere?|Zeige?|Sag|Wenn|Und|Oder|Aber|Im|Am|Um|Bei|Mit|Von|Vom|Nach|Aus|Für|Auf|Zu|Zum|Zur|An|Als|Name|Alter|Stadt|Ort|Herr|Frau|Herrn|Betreff|Text|Antwort|Frage|Kontext|Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonntag|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember|Heute|Morgen|Jahre?|Uhr|Euro|Dollar|Sehr|Liebe[r]?|Geehrte[r]?|Kann|Könntest|Kannst|Ja|Nein|Viele|Grüße|Kundin|Kunde|Personen?|Tisch|Hotel|Flug|Wetter|Zimmer|Kontakt|Telefon|Adresse",
  ].join("|")})$`,
);
const SURNAMES =
  "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤";
const CHINESE_SAID =
  /(?:我叫|名叫|我是|姓名[是为：:]?\s?|名字[是为叫：:]\s?|联系人[是为：:]?\s?|叫做)([\u4e00-\u9fff]{2,4}?)(?=[，。,.、；;！!？?\s和与]|今年|来自|住|从|$)/g;
const CHINESE_SURNAMED = new RegExp(
  `(?<=^|[，。、：:；;！!？?\\s“”"（(]|和|与|给|请|叫|找|是|向|跟|由|帮|为|替|联系|通知|告诉|邀请|询问)([${SURNAMES}](?:先生|女士|小姐|老师|经理|医生|[\\u4e00-\\u9fff]{1,2}?))(?=今年|现在|住|说|是|先生|女士|小姐|老师|经理|医生|的|在|有|和|与|，|。|、|,|\\.|负责|介绍|主持|参加|出席|\\s|$|将|于|来自|从|买|订|想|要|预订|会|将|已|把|（|\\(|；|写|发|来|去|生于|出生|被|开会|开|讨论|一起|吃|见面|转|汇|寄|送)`,
  "gu",
);
/** What companies are called behind their own name, or before it. */
const COMPANY = new RegExp(
  `(?<![\\p{L}\\p{N}])((?:${WORD})(?:[ \\t](?:&[ \\t]|und[ \\t])?(?:${WORD})){0,3}?[ \\t](?:&[ \\t](?:Sons|Söhne|Co\\.?(?:[ \\t]KG)?)|Inc\\.?|Ltd\\.?|LLC|Corp\\.?|Corporation|Company|Group|Holdings|GmbH|AG|KG|SE|UG|e\\.V\\.|plc|S\\.A\\.|B\\.V\\.))(?![\\p{L}\\p{N}])`,
  "gu",
);
const JOINED_COMPANY = new RegExp(`(?<![\\p{L}\\p{N}])((?:${WORD})[ \\t]&[ \\t](?:${WORD}))`, "gu");
const TRADE = new RegExp(
  `(?<![\\p{L}\\p{N}])((?:Bäckerei|Metzgerei|Firma|Buchhandlung|Brauerei|Praxis|Kanzlei|Autohaus|Apotheke|Gärtnerei|Schreinerei|Tischlerei|Restaurant|Hotel|Café|Gasthof|Gasthaus|Pizzeria|Weingut|Druckerei)[ \\t](?:${PHRASE}))`,
  "gu",
);
const CHINESE_COMPANY =
  /([\u4e00-\u9fffA-Za-z]{2,12}?(?:有限责任公司|股份有限公司|有限公司|公司|集团|银行|大学|医院|超市|餐厅|酒店|饭店|书店|工厂|商店|研究所))/g;
const LEADING_VERBS =
  /^.*(?:联系|找到|来自|在|从|到|由|找|去|是|与|和|的|给|向|为|请|买|跟|了)(?=[\u4e00-\u9fff]{3})/;

/** Names in a text: of people, or of companies and things where those are wanted; the most likely first. */
export function findNames(text: string, things = false): string[] {
  if (things) return findCompanies(text);
  const chinese = [...text.matchAll(CHINESE_SAID), ...text.matchAll(CHINESE_SURNAMED)].map((match) =>
    (match[1] ?? "").trim(),
  );
  const places = new Set(findKnownPlaces(text).map(({ name }) => name));
  const names = [...text.matchAll(NAME_AFTER)].map((match) => cleanName(match[1] ?? ""));
  const phrases = [...text.matchAll(ANY_PHRASE)]
    .filter((match) => !startsSentence(text, match.index) || !isPlainWord(match[1] ?? ""))
    .map((match) => cleanName(match[1] ?? ""))
    // In German every noun has a capital.
    .filter((name) => !isGerman(text) || name.includes(" "));
  // Two words in capitals are a person more often than one.
  phrases.sort((left, right) => Number(right.includes(" ")) - Number(left.includes(" ")));
  const all = [...new Set([...chinese, ...names, ...phrases])].filter((name) => name !== "");
  return [...all.filter((name) => !places.has(name)), ...all.filter((name) => places.has(name))];
}

function findCompanies(text: string): string[] {
  const companies = [COMPANY, TRADE, JOINED_COMPANY].flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => trimLeft(match[1] ?? "")),
  );
  const chinese = [...text.matchAll(CHINESE_COMPANY)].map((match) =>
    (match[1] ?? "").replace(LEADING_VERBS, ""),
  );
  const phrases = [...text.matchAll(ANY_PHRASE)]
    .filter((match) => !startsSentence(text, match.index) || !isPlainWord(match[1] ?? ""))
    .map((match) => cleanName(match[1] ?? ""));
  phrases.sort((left, right) => Number(right.includes(" ")) - Number(left.includes(" ")));
  return [...new Set([...companies, ...chinese, ...phrases])].filter((name) => name !== "");
}

function trimLeft(phrase: string): string {
  const words = phrase.split(/[ \t]/);
  while (words.length > 1 && NOT_A_NAME.test(words[0] ?? "")) words.shift();
  return words.join(" ").replace(/\.$/, "");
}

/** Whether capitals do not tell names in a text. */
export function isGerman(text: string): boolean {
  return /[äöüß]|(?<!\p{L})(?:der|die|das|ein|eine[nmr]?|und|bitte|ich|wie|ist|für|mir|mit|von|nach|buche|suche|finde|zeige?|gibt|wird)(?!\p{L})/iu.test(
    text,
  );
}

/** The capitalised phrases of a text, in order. */
export function capitalisedPhrases(text: string): string[] {
  return [...text.matchAll(ANY_PHRASE)]
    .map((match) => cleanName(match[1] ?? ""))
    .filter((name) => name !== "");
}

function startsSentence(text: string, index: number): boolean {
  return /(?:^|[.!?:\n]\s{0,2})$/.test(text.slice(Math.max(0, index - 3), index));
}

/** A single word that has a meaning of its own is no name at the start of a sentence. */
function isPlainWord(phrase: string): boolean {
  return !phrase.includes(" ") && conceptsOfStem(stem(phrase.toLowerCase())).length > 0;
}

export function cleanName(phrase: string): string {
  const words = phrase.replace(/['’]s$/, "").split(/[ \t]/);
  while (words.length > 0 && NOT_A_NAME.test(words[0] ?? "")) words.shift();
  while (words.length > 0 && NOT_A_NAME.test(words.at(-1) ?? "")) words.pop();
  return words.join(" ").replace(/[.&-]+$/, "");
}
