/** Ways to ask for something whose words, one by one, speak of something else. */
const SAYINGS: readonly (readonly [said: RegExp, means: string])[] = [
  [/\bmoney\b[^.!?\n]{0,60}\bback\b|\bget back\b[^.!?\n]{0,30}\bmoney\b/iu, "refund reimburse refund"],
  [/(?<!\p{L})geld(?!\p{L})[^.!?\n]{0,60}(?<!\p{L})zurück/iu, "refund reimburse refund"],
  [/钱[^。！？\n]{0,10}退|退[^。！？\n]{0,10}钱/u, "refund reimburse refund"],
  [
    /(?<!\p{L})bestell\p{L}{0,4}[^.!?\n]{0,40}(?<!\p{L})(?:tisch|platz)(?!\p{L})/iu,
    "reserve reservation table",
  ],
  [
    /(?<!\p{L})(?:do i need|brauche ich|soll ich)[^.!?\n]{0,30}(?:umbrella|coat|jacket|schirm|jacke|mantel)/iu,
    "weather forecast",
  ],
  [/带伞|穿什么/u, "weather forecast"],
];

/** In English words what a text means beyond its own; nothing when it means what it says. */
export function meantBy(text: string): string {
  return SAYINGS.filter(([said]) => said.test(text))
    .map(([, means]) => means)
    .join(" ");
}
