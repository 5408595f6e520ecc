const NUMBERS: Record<string, number> = {
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  twelve: 12,
  两: 2,
  二: 2,
  三: 3,
  四: 4,
  五: 5,
  六: 6,
  七: 7,
  八: 8,
  九: 9,
  十: 10,
};
const PICTURES =
  "(?:images?|pictures?|photos?|photographs?|illustrations?|drawings?|paintings?|panels?|frames?|scenes?|posters?|variations?|versions?|stickers?)";
const COUNTED = new RegExp(
  `\\b(\\d{1,2}|${Object.keys(NUMBERS)
    .filter((word) => /[a-z]/.test(word))
    .join("|")})[\\s-]+(?:[a-z-]+\\s+){0,3}?${PICTURES}\\b`,
  "i",
);
const COUNTED_CHINESE = /(\d{1,2}|[两二三四五六七八九十])\s*[张幅个](?!人)/;
const SET =
  /\b(?:series|set|sequence|storyboard|comic strip|collection|sequential) (?:of|about|showing)\b|\bstoryboard\b|组图|一组|系列|分镜/i;
const USUAL_SET = 4;

/** How many pictures a prompt asks for: `three pictures of …`, `a series of …`; one when it says nothing. */
export function countPictures(prompt: string): number {
  const word = (COUNTED.exec(prompt) ?? COUNTED_CHINESE.exec(prompt))?.[1]?.toLowerCase();
  const counted = word === undefined ? undefined : (NUMBERS[word] ?? Number(word));
  if (counted !== undefined && counted > 0) return counted;
  return SET.test(prompt) ? USUAL_SET : 1;
}
