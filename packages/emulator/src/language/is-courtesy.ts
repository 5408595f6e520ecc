/** What people say to thank, greet and end, in the three languages; without it nothing is left of a courtesy. */
const COURTESIES =
  /(?<!\p{L})(?:thanks?(?: you)?(?: so much| very much| a lot| again| a bunch)?|many thanks|thx|cheers|much appreciated|great|perfect|awesome|wonderful|nice|cool|ok(?:ay)?|all right|got it|good ?bye|bye|see you|hello|hi|hey|good (?:morning|afternoon|evening|night)|how are you|that (?:was|is|'s|will be) (?:all|it|everything)(?: (?:i|we) (?:need(?:ed)?|want(?:ed)?))?|that(?:'s| is) (?:great|perfect|fine|good)|nothing else|no more questions|you(?:'ve| have) been (?:very |a great )?help(?:ful)?|have a (?:nice|good|great) (?:day|evening|weekend|one)|for (?:your |the |all (?:your|the) )?help|for now|i needed|danke(?: schön| sehr| dir| ihnen| euch)?|vielen (?:herzlichen |lieben )?dank|herzlichen dank|besten dank|dankeschön|das (?:war|ist|wäre) (?:alles|es|schon alles)|mehr brauche ich nicht|super|prima|toll|klasse|sehr gut|wunderbar|alles klar|in ordnung|hallo|guten (?:morgen|tag|abend)|gute nacht|grüß (?:dich|gott)|servus|moin|tschüss|auf wiedersehen|bis (?:bald|später|dann)|wie geht es (?:dir|ihnen)|wie geht's|schönen (?:tag|abend)(?: noch)?|für (?:die|deine|ihre|eure) hilfe|erst ?mal|für heute)(?!\p{L})|(?:非常|太|十分|多)?(?:感谢|谢谢)(?:你|您|大家)?(?:的?帮助|的?帮忙)?|多谢|没有?(?:别的|其他)(?:的|事|问题)*了?|没事了|就这样吧?|就这些了?|好的|太好了|很好|再见|拜拜|你好|您好|早上好|晚上好|下午好|晚安|辛苦了/giu;
const LONGEST = 300;
const SMALL =
  /^(?:\p{P}|\p{S}|\s|(?<!\p{L})(?:and|so|very|much|you|that|it|was|is|all|i|me|to|for|und|auch|dir|ihnen|sehr|noch|the|da|there|everyone|all|zusammen|also|then|von|mir)(?!\p{L})|[了吧啊呀哦的事都])*$/iu;

/** Whether a text is nothing but thanks, a greeting or a farewell: it asks for nothing. */
export function isCourtesy(text: string): boolean {
  if (text.trim() === "" || text.length > LONGEST) return false;
  const rest = text.replace(COURTESIES, " ");
  return rest !== text && SMALL.test(rest.replace(/\s{1,50}/g, " "));
}
