import { cleanName, PHRASE } from "./find-names.js";
import type { TextSource } from "./text-source.js";

const WORDS_OF_VENUES =
  "Restaurant|Hotel|Café|Cafe|Bar|Pizzeria|Gasthof|Gasthaus|Lokal|Bistro|Trattoria|Diner|Bakery|Bäckerei|Salon|Praxis|Kino|Theater|Museum";
const ENGLISH = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:at|from|by|called|named)[ \\t](?:the[ \\t])?(${PHRASE}(?:['’]s)?)`,
  "gu",
);
const GERMAN = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:bei|beim|im|in der|in das|ins|vom|namens|zum|zur)[ \\t](?:(?:${WORDS_OF_VENUES})[ \\t])?[„“"]?(${PHRASE})`,
  "giu".replace("i", ""),
);
const NAMED = new RegExp(
  `(?<![\\p{L}])(?:${WORDS_OF_VENUES})[ \\t](?!(?:in|im|am|for|für|at)\\b)[„“"]?(${PHRASE})`,
  "gu",
);
const CHINESE =
  /(?:在|去|到|给|向)([\u4e00-\u9fffA-Za-z·]{2,12}?)(?=\s{0,20}(?:预订|预定|预约|订|定|吃|留|约|帮|给|为|点|买|，|。|,|$))/u;
const CHINESE_KIND =
  /([\u4e00-\u9fff]{2,8}(?:餐厅|饭店|酒店|酒家|宾馆|火锅店|咖啡馆|咖啡厅|烤鸭店|酒楼|书店|影院|理发店))/u;

/** The restaurant, hotel or shop that a text names; of `at Luigi's` all, as it is part of the name. */
export function findVenue(source: TextSource): string | undefined {
  const text = source.withoutMoments;
  const han = CHINESE.exec(text)?.[1] ?? CHINESE_KIND.exec(text)?.[1];
  if (han !== undefined) return han.replace(/^(?:请|帮我|我想|想)*(?:在|去|到)?/, "");
  for (const pattern of [NAMED, ENGLISH, GERMAN]) {
    for (const match of text.matchAll(pattern)) {
      const said = match[1] ?? "";
      const name = cleanName(said);
      if (name !== "") return /['’]s$/.test(said) ? `${name}${said.slice(-2)}` : name;
    }
  }
  return undefined;
}
