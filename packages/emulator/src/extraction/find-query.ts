import { splitSentences } from "../language/split-passages.js";

const POLITE =
  "(?:(?:please|kindly|hey|hi|hello|ok|can you|could you|would you|will you|i want you to|i want to|i need to|i would like to|i'd like to|help me(?: to)?|let's|bitte|kannst du(?: mir)?(?: bitte)?|können sie(?: mir)?(?: bitte)?|könntest du(?: mir)?(?: bitte)?|ich möchte|hallo),? )*";
const WHERE =
  "(?: (?:in |on |through |over )?(?:the |our |your |my |this )?(?:web|internet|online|docs?|documentation|database|knowledge base|site|website|handbook|manual|wiki|files?|catalog(?:ue)?|library|archive|company handbook|google|articles?))?";
const COMMANDS: readonly RegExp[] = [
  new RegExp(
    `^${POLITE}(?:do a (?:web )?search|(?:web )?search|look(?: ?up)?|find(?: out)?|google|query|check|browse|research|fetch|retrieve)${WHERE}(?: (?:for|about|up|on))?(?: (?:information|info|details|articles|documents|something|anything) (?:about|on|regarding))?\\s(?:me )?`,
    "iu",
  ),
  new RegExp(
    `^${POLITE}(?:tell me (?:more )?about|show me|give me (?:information|details) (?:about|on))\\s`,
    "iu",
  ),
  new RegExp(
    `^${POLITE}(?:what|where) (?:does|do|is|are) (?:the |our |your )?[\\p{L} ]{1,30} (?:say|says|said|state|written|stand|stands) (?:about|on|regarding)\\s`,
    "iu",
  ),
  new RegExp(
    `^${POLITE}(?:suche?|such|sieh|schau|durchsuche?|recherchiere?|finde?|google|schlage?)(?: (?:mir|bitte|mal|doch))*(?: (?:im|in der|in den|in unserem|das|die|den|unser(?:en|e)?|online) ?[\\p{L}-]{0,25})?(?: (?:nach|über|zu|zum|zur|heraus))(?: (?:informationen|infos|details) (?:über|zu))?\\s`,
    "iu",
  ),
  new RegExp(`^${POLITE}(?:suche?|finde|google|recherchiere)(?: (?:mir|bitte|mal))*\\s`, "iu"),
  new RegExp(
    `^${POLITE}(?:was|wo) (?:sagt|sagen|steht|stehen)(?: (?:im|in der|in unserem|das|die|der|unser) ?[\\p{L}-]{1,25})?(?: (?:zu|zum|zur|über))\\s`,
    "iu",
  ),
  /^(?:请问?|帮我|麻烦|你能|能不能|可以)*(?:在[^，。搜查找]{1,12}?(?:里|中|上|里面)?)?(?:搜索|搜一下|搜|查找|查询|查一查|查一下|查查|查|检索|找一下|找找|找|看看|看一下)(?:一下)?(?:[^，。关]{1,10}(?:里|中|上))?(?:关于|有关)?/u,
  /^[^，。？]{0,12}?(?:里|中|上)?(?:关于|有关|对于?)(?=[^，。？]{1,20}?(?:的(?:规定|信息|内容|资料|说明|政策)|是?怎么说|有什么|有哪些|怎么))/u,
];
const ENDINGS: readonly RegExp[] = [
  /(?:\s(?:in|on) (?:the |our )?(?:web|internet|handbook|manual|docs|documentation|database|wiki|company handbook)|\s(?:for me|please|online)|,? (?:bitte|heraus|im (?:internet|netz|web|handbuch)|online)){1,3}$/iu,
  /(?:的(?:规定|信息|内容|资料|说明|情况|政策|相关信息))?(?:是?(?:怎么说的?|怎么规定的?|什么规定)|有什么规定|有哪些规定)?(?:吗|呢)?$/u,
];

/** What is to be looked for, without the words that ask for it. */
export function findQuery(text: string): string {
  const sentences = splitSentences(text);
  for (const sentence of [...sentences, text]) {
    const trimmed = sentence.trim();
    const command = COMMANDS.find((pattern) => pattern.test(trimmed));
    if (command) {
      const query = withoutEnd(trimmed.replace(command, ""));
      if (query !== "") return query;
    }
  }
  return withoutEnd(
    (sentences.length > 1 ? (sentences.find((each) => /[?？]\s*$/.test(each)) ?? text) : text).trim(),
  );
}

function withoutEnd(text: string): string {
  let query = text.replace(/[.!。！?？\s]{1,20}$/u, "");
  for (const ending of ENDINGS) query = query.replace(ending, "");
  return query
    .replace(/[,，\s]{1,5}$/u, "")
    .trim()
    .slice(0, 400);
}
