import { findKnownPlaces, type PlaceMention } from "../language/places.js";
import { capitalisedPhrases, cleanName, isGerman, PHRASE } from "./find-names.js";
import type { PropertyHint } from "./property-hint.js";
import type { TextSource } from "./text-source.js";

type Direction = "from" | "to";

/** Words before the place that one leaves, or goes to, in the three languages; and before a place at all. */
const LEADS: Readonly<Record<Direction | "at", { letters: string; characters: string }>> = {
  from: { letters: "from|leaving|departing|von|aus|ab", characters: "从|由|自" },
  to: { letters: "to|into|towards|for|nach|in", characters: "飞往|前往|开往|到|去|至|往|飞" },
  at: {
    letters: "in|at|near|around|for|to|of|from|over|nach|bei|aus|für|um|über|von|nahe",
    characters: "住在|在|去|到|从|查询|查一下|看看|位于|飞往|前往",
  },
};
const PLACE_NAMES = /city|location|place|town|country|destination|origin|region|where/;
const CHINESE_END =
  "(?=市|的|吃|订|找|住|玩|有|飞|坐|开|出发|，|。|、|,|？|！|\\s|$|到|去|至|今天|现在|天气|气温|怎么|附近|旅|出差|买|预)";
const CHINESE_WEATHER = /([\u4e00-\u9fff]{2,8}?)(?:市|现在)?的?(?:天气|气温|温度|时间|时刻|空气)/;
const CHINESE_LEADING =
  /^.*(?:请问|告诉我|查询|查一下|查查|看看|看一下|帮我|一下|我想知道|在|去|到|从|那么|那|的)(?=[\u4e00-\u9fff]{2})/;
const ADDRESS =
  /\b\d{1,5}[a-z]? (?:[A-Z][\p{L}.'-]{1,30} ){1,4}(?:Street|St\.?|Road|Rd\.?|Avenue|Ave\.?|Lane|Ln\.?|Drive|Dr\.?|Boulevard|Blvd\.?|Square|Way|Court|Place)\b|\p{Lu}[\p{L}-]{1,30}(?:straße|strasse|str\.|gasse|weg|platz|allee|ring|damm|ufer) \d{1,4}[a-z]?(?:, \d{4,5} \p{Lu}[\p{L}-]{1,30})?|\p{Lu}[\p{L}-]{1,30}(?: \p{Lu}[\p{L}-]{1,30})? (?:Straße|Str\.|Allee|Platz|Weg) \d{1,4}[a-z]?|[\u4e00-\u9fff]{2,16}(?:路|街|大道|巷)\d{1,5}号(?:[\u4e00-\u9fff\d]{1,10}(?:室|楼|栋|单元))?/u;

/** The place that a property of this name means: where from, where to, or just where. */
export function findPlace(source: TextSource, { name, all }: PropertyHint): string | undefined {
  const text = source.withoutMoments;
  if (/address/.test(name)) {
    const address = ADDRESS.exec(text)?.[0];
    if (address !== undefined) return address;
  }
  const direction: Direction | undefined = /origin|from|depart|source|start/.test(name)
    ? "from"
    : /destination|\bto\b|arriv|target/.test(name)
      ? "to"
      : undefined;
  const known = findKnownPlaces(text);
  const kind = /countr|\bnation/.test(name) ? "country" : /cit(?:y|ies)|town/.test(name) ? "city" : undefined;
  const ofKind = kind === undefined ? known : known.filter((place) => place.kind === kind);
  // A place that is not well known is named by the words around it, a country by its name only.
  const led = kind === "country" ? undefined : ledPlace(text, direction ?? "at");
  const knownOne = knownPlace(text, ofKind, direction);
  if (direction !== undefined) return led ?? knownOne;
  if (led !== undefined && knownOne !== undefined) {
    return known.some((place) => led.includes(place.name)) && !led.startsWith(knownOne)
      ? knownOne
      : ofKind.some((place) => place.name === led)
        ? led
        : knownOne;
  }
  const found = knownOne ?? led ?? chinesePlace(text);
  if (found !== undefined) return found;
  if (kind === "country" || isGerman(text)) return undefined;
  const phrase = capitalisedPhrases(text)[0];
  if (phrase !== undefined) return phrase;
  if (!PLACE_NAMES.test(`${name} ${all}`)) return undefined;
  return new RegExp(
    `\\b(?:in|at|near|around)\\s(?!the\\b|a\\b|an\\b|my\\b|this\\b|celsius|fahrenheit|${NO_PLACES})([a-z]{3,20})(?=[\\s?.!,]|$)`,
  ).exec(text)?.[1];
}

const NO_PLACES =
  "advance|detail|short|general|total|full|order|fact|addition|case|time|touch|least|most|all|once|first|last|json|english|german|chinese|minutes|hours|days|bullet|one|two|three";

/** Cities in the order of the text, or countries. */
export function placesOfKind(text: string, kind: PlaceMention["kind"] | undefined): string[] {
  const known = findKnownPlaces(text).filter((place) => kind === undefined || place.kind === kind);
  return [...new Set(known.map(({ name }) => name))];
}

/** The name behind words that go before a place. */
function ledPlace(text: string, direction: Direction | "at"): string | undefined {
  const { letters, characters } = LEADS[direction];
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${letters})[ \\t]{1,3}(?:the city of |the |der |die |das |dem )?(${PHRASE})`,
    "gu",
  );
  for (const match of text.matchAll(pattern)) {
    const name = cleanName(match[1] ?? "");
    // German nouns have capitals, too.
    if (name !== "" && (!isGerman(text) || !GERMAN_NOUN.test(name))) return name;
  }
  const chinese = new RegExp(`(?:${characters})([\\u4e00-\\u9fff]{2,6}?)${CHINESE_END}`, "u").exec(text)?.[1];
  return direction === "at" ? undefined : chinese;
}

function knownPlace(
  text: string,
  places: readonly PlaceMention[],
  direction: Direction | undefined,
): string | undefined {
  const lead = LEADS[direction ?? "at"];
  const leads = new RegExp(
    `(?:(?<![\\p{L}])(?:${lead.letters})[ \\t]{1,3}(?:der |die |the )?|(?:${lead.characters}))$`,
    "iu",
  );
  const led = places.find(({ index }) => leads.test(text.slice(Math.max(0, index - 16), index)));
  if (led) return led.name;
  if (direction === undefined) return places[0]?.name;
  // "Berlin to Oslo", "北京飞上海": of two, the first is where one starts.
  if (places.length < 2) return undefined;
  return (direction === "from" ? places[0] : places.at(-1))?.name;
}

function chinesePlace(text: string): string | undefined {
  const asked = CHINESE_WEATHER.exec(text)?.[1]?.replace(CHINESE_LEADING, "");
  if (asked) return asked;
  return new RegExp(`(?:${LEADS.at.characters})([\\u4e00-\\u9fff]{2,6}?)${CHINESE_END}`, "u").exec(text)?.[1];
}

const GERMAN_NOUN =
  /^(?:Stadt|Text|Zukunft|Ordnung|Hause?|Uhr|Personen?|Mitternacht|Nähe|Woche|Monat|Jahr|Tagen?|Stunden?|Minuten?|Nächten?|Euro|Celsius|Hotel|Restaurant|Flug|Zimmer|Bahnhof|Flughafen|Handbuch|Internet|Netz|Bestellung(?:en)?|Rechnung(?:en)?|Kund(?:e|en|in)|E-Mails?|Nachricht(?:en)?|Zusammenfassung|Wetter|Frage|Antwort|Urlaub|Ruhe|Eile|Arbeit|Büro|Erwachsene|Kinder)\b/;
