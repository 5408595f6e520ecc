import { remembered } from "./remembered.js";

/** The languages that the local models speak. */
export type Language = "en" | "de" | "zh";

const GERMAN =
  /[äöüß]|\b(?:der|die|das|den|dem|des|ein|eine|einen|einem|einer|und|oder|ist|sind|war|wird|werden|wer|wie|was|wann|wo|warum|welche[rsn]?|ich|du|wir|ihr|sie|mir|mich|dich|nicht|kein|keine|mit|für|auf|von|vom|zum|zur|bei|aus|nach|im|am|bitte|danke|gib|nenne|kannst|kosten|kostet|heute|morgen|hallo|ja|nein|es|hier|da|dort|geht|gibt|hat|habe|haben|kann|soll|als|aber|auch|noch|nur|worum|wozu|wohin|zu|dass|viel|wohne|heiße|hallo|servus|moin|guten|danke|dank|bist|geht's)\b/giu;
const ENGLISH =
  /\b(?:the|a|an|and|or|is|are|was|were|be|who|how|what|when|where|why|which|i|you|we|they|he|she|it|my|your|our|not|no|with|for|on|of|to|from|at|by|please|thanks|give|tell|can|does|do|did|cost|today|tomorrow|hello|yes)\b/giu;
/** A few words of another language in a Chinese text are names. */
const CHARACTERS_PER_WORD = 2;
/** Those of a prompt, and of its parts. */
const MOST_TEXTS = 64;

/** The language of a text, by its signs and its small words; where they tell nothing that of what stands around it, or English. */
export function languageOf(text: string, around = ""): Language {
  const own = ownLanguage(text);
  if (own === "unclear") return around === "" ? "en" : languageOf(around);
  return own;
}

const ownLanguage = remembered(readLanguage, MOST_TEXTS);

function readLanguage(text: string): Language | "unclear" {
  const characters = (text.match(/\p{Script=Han}/gu) ?? []).length;
  const words = (text.match(/\p{Script=Latin}+/gu) ?? []).length;
  if (characters > words * CHARACTERS_PER_WORD) return "zh";
  const german = (text.match(GERMAN) ?? []).length;
  const english = (text.match(ENGLISH) ?? []).length;
  if (german === english) return "unclear";
  return german > english ? "de" : "en";
}
