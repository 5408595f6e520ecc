const ENGLISH_UNITS =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const ENGLISH_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const GERMAN_UNITS =
  "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn".split(
    " ",
  );
const GERMAN_TENS = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split(" ");
const CHINESE_DIGITS = new Map([..."零一二三四五六七八九"].map((digit, value) => [digit, value] as const));
CHINESE_DIGITS.set("〇", 0).set("两", 2);
const CHINESE_POWERS: Readonly<Record<string, number>> = { 十: 10, 百: 100, 千: 1_000, 万: 10_000 };

const WORDS = new Map<string, number>();
for (const [value, word] of ENGLISH_UNITS.entries()) WORDS.set(word, value);
for (const [index, tens] of ENGLISH_TENS.entries()) {
  WORDS.set(tens, 20 + 10 * index);
  for (const [value, unit] of ENGLISH_UNITS.slice(1, 10).entries()) {
    WORDS.set(`${tens}-${unit}`, 21 + 10 * index + value);
    WORDS.set(`${tens} ${unit}`, 21 + 10 * index + value);
  }
}
for (const [value, word] of GERMAN_UNITS.entries()) WORDS.set(word, value);
for (const [index, tens] of GERMAN_TENS.entries()) {
  WORDS.set(tens, 20 + 10 * index);
  for (const [value, unit] of GERMAN_UNITS.slice(1, 10).entries())
    WORDS.set(`${unit}und${tens}`, 21 + 10 * index + value);
}
for (const [word, value] of [...WORDS]) if (word.includes("ß")) WORDS.set(word.replace("ß", "ss"), value);
for (const word of ["eine", "einen", "einem", "einer", "eines", "eins"]) WORDS.set(word, 1);
for (const [word, value] of Object.entries({
  dozen: 12,
  dutzend: 12,
  hundred: 100,
  hundert: 100,
  tausend: 1_000,
}))
  WORDS.set(word, value);
for (const [value, unit] of [...GERMAN_UNITS.entries()].slice(1, 10))
  WORDS.set(`${unit}hundert`, 100 * value);
for (const [value, unit] of [...ENGLISH_UNITS.entries()].slice(1, 10))
  WORDS.set(`${unit} hundred`, 100 * value);
WORDS.set("a million", 1e6)
  .set("half a million", 5e5)
  .set("eine million", 1e6)
  .set("eine halbe million", 5e5);
WORDS.set("a dozen", 12).set("a hundred", 100).set("half a dozen", 6).set("ein dutzend", 12);

/** German articles are written like the number one. */
const ARTICLES = /^(?:ein(?:e[mnrs]?)?)$/;

/** Every number word of the languages with an alphabet that is nothing but a number, the longest first. */
export const NUMBER_WORDS: readonly string[] = [...WORDS.keys()]
  .filter((word) => !ARTICLES.test(word))
  .sort((left, right) => right.length - left.length || (left < right ? -1 : 1));

/** A number in digits, in English or German words, or in Chinese characters; undefined for anything else. */
export function readNumber(text: string): number | undefined {
  const word = text.trim().toLowerCase();
  if (/^\d+(?:\.\d+)?$/.test(word)) return Number(word);
  if (/^(?:an?|another)$/.test(word)) return 1;
  return WORDS.get(word) ?? readChineseNumber(word);
}

function readChineseNumber(text: string): number | undefined {
  if (text === "" || !/^[零〇一二两三四五六七八九十百千万]{1,12}$/.test(text)) return undefined;
  // Years are read out digit by digit.
  if (/^[零〇一二三四五六七八九]{2,}$/.test(text))
    return Number([...text].map((digit) => CHINESE_DIGITS.get(digit)).join(""));
  let total = 0;
  let section = 0;
  let digit: number | undefined;
  for (const character of text) {
    const power = CHINESE_POWERS[character];
    if (power === undefined) {
      digit = CHINESE_DIGITS.get(character) ?? 0;
    } else if (power === 10_000) {
      total = (section + (digit ?? 0)) * power;
      section = 0;
      digit = undefined;
    } else {
      section += (digit ?? 1) * power;
      digit = undefined;
    }
  }
  return total + section + (digit ?? 0);
}
