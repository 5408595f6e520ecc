/** What a number counts or measures, told by the words beside it. */
export interface NumberUnit {
  id: string;
  /** Names of properties that want such a number. */
  about: RegExp;
  /** What follows the number. */
  after?: RegExp;
  /** What stands right before the number. */
  before?: RegExp;
  /** Both what follows and what stands before have to fit. */
  both?: boolean;
  /** Minutes in one, of units of time. */
  minutes?: number;
}

/** The first that fits a number counts. */
const UNITS: readonly NumberUnit[] = [
  {
    id: "age",
    about: /\bage\b/,
    after: /^[\s-]?(?:years?[ -]old|yrs? old|year-olds?|jahre alt|jährige?|岁)/iu,
    before: /(?:\baged?|\balter(?: von)?|年龄(?:是|为)?)[:：\s]{0,2}$/iu,
  },
  {
    id: "people",
    about:
      /guest|people|person|party|diner|attendee|participant|passenger|travel?ler|adult|seat|ticket|pax|covers/,
    after:
      /^\s?(?:(?:more |other )?(?:people|persons?|guests?|adults?|of us|friends|passengers?|travel?lers|seats?|tickets?|participants|attendees|diners)\b|personen|person\b|leute|gästen?|erwachsenen?|plätzen?|tickets\b|karten\b|passagieren?|teilnehmer|个?(?:人|客人|大人|成人|孩子)|位|名|张票|个座位)/iu,
  },
  {
    id: "nights",
    about: /\bnights?\b/,
    after: /^\s?(?:nights?\b|nächten?\b|nacht\b|übernachtung(?:en)?\b|个?晚上?|夜)/iu,
  },
  {
    id: "seconds",
    about: /\bseconds?\b/,
    after: /^\s?(?:seconds?\b|secs?\b|sekunden?\b|秒)/iu,
    minutes: 1 / 60,
  },
  {
    id: "minutes",
    about: /\bminutes?\b|\bmins?\b/,
    after: /^[\s-]?(?:minutes?\b|mins?\b|minuten?\b|分钟)/iu,
    minutes: 1,
  },
  {
    id: "hours",
    about: /\bhours?\b/,
    after: /^[\s-]?(?:hours?\b|hrs?\b|stunden?\b|h\b|个?小时|个?钟头)/iu,
    minutes: 60,
  },
  { id: "days", about: /\bdays?\b/, after: /^[\s-]?(?:days?\b|tagen?\b|tage\b|天)/iu, minutes: 1_440 },
  { id: "weeks", about: /\bweeks?\b/, after: /^[\s-]?(?:weeks?\b|wochen?\b|周|个?星期)/iu, minutes: 10_080 },
  {
    id: "months",
    about: /\bmonths?\b/,
    after: /^[\s-]?(?:months?\b|monaten?\b|monate\b|个月)/iu,
    minutes: 43_200,
  },
  { id: "years", about: /\byears\b/, after: /^[\s-]?(?:years?\b|jahren?\b|jahre\b|年)/iu },
  {
    id: "weight",
    about: /weight|\bkg\b|kilo|grams?\b/,
    after: /^\s?(?:kg\b|kilos?\b|kilograms?\b|kilogramm\b|g\b|grams?\b|gramm\b|lbs?\b|公斤|千克|克|斤)/iu,
  },
  {
    id: "distance",
    about: /distance|\brange\b|\bkm\b|kilomet|miles?\b/,
    after: /^\s?(?:km\b|kilomet(?:er|re)s?\b|kilometern?\b|miles?\b|meilen?\b|公里|千米|英里)/iu,
  },
  { id: "storage", about: /storage|memory|capacity|\bgb\b/, after: /^\s?(?:gb|tb|mb)\b/iu },
  {
    id: "stars",
    about: /rating|stars?\b|score/,
    after: /^\s?(?:stars?\b|sternen?\b|sterne\b|颗?星|分(?!钟)|out of \d|\/ ?(?:5|10)\b)/iu,
  },
  {
    id: "room",
    about: /\broom\b/,
    before: /(?:\broom|\braum|\bzimmer|房间)(?: number| no\.?)?\s?$/iu,
  },
  {
    id: "quantity",
    about: /quantity|\blimit\b|\bcount\b|\bnumber of\b|\bpieces\b|\bunits\b|\bitems\b|\bcopies\b/,
    after:
      /^\s?(?:x\b|(?:boxes|pieces|bottles|packs|units|items|pcs|copies|bags|cans|cups|pairs|sets|crates|cartons|jars)\b|stück\b|kartons?\b|flaschen?\b|packungen?\b|kisten?\b|dosen?\b|exemplare?\b|paar\b|tüten?\b|[盒个件份瓶箱袋本台支只条包套双把张])/iu,
  },
  {
    id: "identifier",
    about: /\b(?:id|number|no|code|reference)$/,
    before:
      /(?:\b(?:invoice|ticket|reservation|case|customer|account|bestellung|rechnung|auftrag|buchung|kunde|vorgang|(?:bestell|rechnungs|auftrags|kunden)?nummer|nr\.?|number|no\.)|订单|发票|工单|编号|单号|#)(?:号码?)?(?: (?:number|no\.?|id|nr\.?|nummer))?[:：#\s]{0,2}$/iu,
  },
  {
    id: "identifier",
    about: /\b(?:id|number|no|code|reference)$/,
    before: /\b(?:order|booking|request)(?: (?:number|no\.?|id))?[:#\s]{0,2}$/iu,
    // "Order 12 pizzas" counts them.
    after: /^\s?(?:$|[.,;:!?)]|(?:is|was|has|had|from|for|to|please|which|that|and|because|by)\b)/iu,
    both: true,
  },
];

/** What a number between these texts counts; undefined when the words beside it do not tell. */
export function unitOfNumber(before: string, after: string): NumberUnit | undefined {
  return UNITS.find((unit) => {
    const fitsAfter = unit.after?.test(after) ?? false;
    const fitsBefore = unit.before?.test(before) ?? false;
    return unit.both ? fitsAfter && fitsBefore : fitsAfter || fitsBefore;
  });
}

/** What a property wants to be counted, by its name, or else by its description. */
export function unitWanted({ name, all }: { name: string; all: string }): NumberUnit | undefined {
  const inName = UNITS.find(({ about }) => about.test(name));
  if (inName || !/duration|length|time|delay|period|interval/.test(name)) return inName;
  return UNITS.find(({ about }) => about.test(all));
}

/** A number of one unit in another, where both are units of time. */
export function convertUnit(value: number, from: NumberUnit | undefined, to: NumberUnit | undefined): number {
  if (from?.minutes === undefined || to?.minutes === undefined) return value;
  return Math.round(((value * from.minutes) / to.minutes) * 1e6) / 1e6;
}
