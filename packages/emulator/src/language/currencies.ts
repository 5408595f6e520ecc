/** A currency that a text speaks of. */
export interface CurrencyMention {
  /** ISO 4217. */
  code: string;
  index: number;
  end: number;
}

/** A row per currency: its code; then its signs and words in English, German and Chinese. */
const CURRENCIES = `
USD US$ $ us_dollars? dollars? bucks us-dollars? 美元 美金
EUR € euros? 欧元
GBP £ british_pounds? pounds?_sterling pounds?(?!_of\\b) sterling britische[nr]?_pfund pfund_sterling pfund(?=_in\\b|[.,?!]|$) 英镑
JPY yen japanese_yen japanische[nr]?_yen 日元 日圆
CNY ¥ yuan renminbi rmb 人民币 元(?![旦素])
CHF swiss_francs? schweizer_franken franken sfr 瑞士法郎
CAD canadian_dollars? kanadische[nr]?_dollars? 加元 加拿大元
AUD australian_dollars? australische[nr]?_dollars? 澳元 澳大利亚元
NZD new_zealand_dollars? neuseeland-dollars? 新西兰元 纽元
HKD hk\\$ hong_kong_dollars? hongkong-dollars? 港元 港币
SGD singapore_dollars? singapur-dollars? 新加坡元 新元
TWD taiwan_dollars? taiwan-dollars? 新台币 台币
KRW ₩ korean_won won(?=[\\s.,]|$) 韩元
INR ₹ indian_rupees? rupees? indische[nr]?_rupien? rupien? 卢比
THB thai_baht baht 泰铢
SEK swedish_(?:krona|kronor|crowns?) schwedische[nr]?_kronen? 瑞典克朗
NOK norwegian_(?:krone|kroner|crowns?) norwegische[nr]?_kronen? 挪威克朗
DKK danish_(?:krone|kroner|crowns?) dänische[nr]?_kronen? 丹麦克朗
PLN zł zloty zlotys złoty 兹罗提
CZK czech_(?:koruna|crowns?) tschechische[nr]?_kronen? 捷克克朗
HUF forint forints 福林
TRY ₺ turkish_lira türkische[nr]?_lira lira 里拉
RUB ₽ rubles? roubles? rubel 卢布
MXN mexican_pesos? mexikanische[nr]?_pesos? 墨西哥比索
BRL r\\$ brazilian_(?:real|reais) reais 雷亚尔
ZAR south_african_rand rand(?=[\\s.,]|$) 兰特
AED dirhams? 迪拉姆
ILS ₪ shekels? schekel 谢克尔
BTC bitcoins? 比特币
ETH ethereum ether 以太币 以太坊
`;

const PATTERNS = CURRENCIES.trim()
  .split("\n")
  .map((row) => {
    const [code = "", ...spellings] = row.split(" ");
    const alternatives = spellings.map((spelling) => {
      const source = (spelling === "$" ? "\\$" : spelling).replace("US$", "US\\$").replaceAll("_", " ");
      // Signs and characters stand beside anything; words end where letters do.
      return /^\p{L}/u.test(source) && !/\p{Script=Han}/u.test(source) && !source.endsWith("$")
        ? `(?<!\\p{L})${source}(?!\\p{L})`
        : source;
    });
    return {
      code,
      pattern: new RegExp(
        `(?<![\\p{Lu}\\p{Ll}])${code}(?![\\p{Lu}\\p{Ll}])|${alternatives.join("|")}`,
        "giu",
      ),
    };
  });
/** Codes that are words as well, which stand in capitals where they are codes. */
const WORDS_TOO = /^(?:try|all)$/i;
const MOST_MENTIONS = 200;

/** The currencies in a text, in order; where two could be meant, the one with the longer name. */
export function findCurrencies(text: string): CurrencyMention[] {
  const mentions: CurrencyMention[] = [];
  for (const { code, pattern } of PATTERNS) {
    for (const match of text.matchAll(pattern)) {
      if (WORDS_TOO.test(match[0]) && match[0] !== code) continue;
      mentions.push({ code, index: match.index, end: match.index + match[0].length });
      if (mentions.length >= MOST_MENTIONS) break;
    }
  }
  mentions.sort((left, right) => left.index - right.index || right.end - left.end);
  const kept: CurrencyMention[] = [];
  for (const mention of mentions) if (mention.index >= (kept.at(-1)?.end ?? 0)) kept.push(mention);
  return kept;
}
