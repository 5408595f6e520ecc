import type { Phrases } from "./phrases.js";

const POLITE =
  "(?:(?:please|kindly|now|then|so|ok|okay|can you|could you|would you|will you|i want you to|i need you to|your task is to|you should|you must)[,:]? )*";

export const ENGLISH: Phrases = {
  instruction: new RegExp(
    `^\\W*${POLITE}(?:summari[sz]e|sum up|tl;?dr|give|list|name|enumerate|extract|classify|categori[sz]e|label|sort|rate|compare|explain|describe|condense|shorten|outline|answer|reply|respond|output|return|write|create|make|read|tell|say|find|decide|determine|choose|pick|use|look at|turn|convert|in (?:just |only |exactly )?(?:one|two|three|a few|\\d) )|\\b(?:in (?:one|a single) (?:\\w+ )?sentence|as a (?:\\w+ )?list|bullet points?|one word|only the (?:label|category|answer)|(?:label|category) (?:only|alone))\\b|\\b(?:following|below)\\b.{0,40}:?$`,
    "i",
  ),
  summary:
    /\bsummar(?:y|i[sz]e)|\bsum (?:it |this |that )?up\b|\btl;?dr\b|\bgist\b|\bin short\b|\bkey points?\b|\b(?:main|key) (?:points?|ideas?|takeaways?|messages?)\b|\bwhat (?:is|was) (?:this|that|it|the text) about\b|\bwhat happened\b|\bcondense\b|\bshorten\b|\bpoints? about\b/i,
  sentences:
    /\b(?:in|into|to|with|using|as) (?:just |only |exactly |at most )?(\w+) (?:\w+ ){0,2}?sentences?\b|\b(?:one|single)-sentence\b/i,
  bullets:
    /\b(?:(?:in|as|with|exactly|the|give me|give|list) )*(?:(one|two|three|four|five|six|seven|\d) )?(?:\w+ )?(?:bullet points?|bullets|key points|main points)\b|\b(?:as a|in a) (?:\w+ )?list\b/gi,
  classification:
    /\bclassif|\bcategor|\blabels?\b|\bsentiment\b|\bwhich of\b|\bwhether\b|\bsort\b|\btone\b|\bas (?:\w+|\w+ \w+)(?:,|\s+or\b)|\banswer with (?:one|a single) word\b|^\W*is (?:this|the)\b.*,.*\bor\b/i,
  yesOrNo: /\byes or no\b|\byes\/no\b|\btrue or false\b/i,
  labelLead: /.*(?:[:(]|\b(?:as|into|either|is|are|was|of|between|among|from|whether)\b)\s*/i,
  separator: /\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+|\s*;\s*|\s*\/\s*/i,
  conjunction: /,?\s+and\s+(?=(?:how|what|when|where|who|which|why|is|are|does|do|can)\b)/i,
  ordinals: [
    [/\bthe (?:very )?first(?: one| two| of them)?\b/i, 0],
    [/\bthe second(?: one)?\b/i, 1],
    [/\bthe third(?: one)?\b/i, 2],
    [/\bthe fourth(?: one)?\b/i, 3],
    [/\bthe last(?: one| of them)?\b|\bthe latter\b/i, -1],
    [/\bthe (?:second to last|one before(?: that)?)\b/i, -2],
  ],
  pronoun: /\b(?:it|its|they|them|their|that one|this one|he|she|his|her|there)\b/i,
  questionWords: /\b(?:tell me|who|what|when|where|which|why|how)\b/gi,
  numbers: { a: 1, one: 1, single: 1, two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7 },
  greeting:
    /^(?:hello|hi|hey|good (?:morning|afternoon|evening)|greetings|howdy)(?: there)?(?:[\s,!.]+how are you(?: doing)?(?: today)?)?[\s!?.,]*$/i,
  thanks: /^(?:thanks|thank you|thx|cheers)[^?]{0,40}$/i,
  identity: /^(?:so )?(?:who|what) are you\b|^what(?:'s| is) your name\b|^what can you do\b/i,
  greetings: [
    "Hello! How can I help you?",
    "Hi! What can I do for you?",
    "Hello there! What would you like to know?",
  ],
  welcome: "You are welcome!",
  introduction:
    "I am a local model of the Model Gateway emulator. I answer from the context I am given, call tools, fill JSON schemas, calculate, summarise and list.",
  yes: "Yes",
  no: "No",
  notInContext: (asked) => `The provided context does not contain an answer to "${asked}".`,
  unknown: (asked) =>
    `I am a local model without general knowledge, so I cannot answer "${asked}" unless the context holds it.`,
  heard: (said) => `I have read your message: "${said}"`,
};
