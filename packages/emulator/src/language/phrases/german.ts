import type { Phrases } from "./phrases.js";

const POLITE =
  "(?:(?:bitte|nun|jetzt|also|kannst du|könntest du|können sie|könnten sie|würdest du|deine aufgabe ist|du sollst)[,:]? (?:mir |das |uns )?(?:bitte )?)*";

export const GERMAN: Phrases = {
  instruction: new RegExp(
    `^\\W*${POLITE}(?:fass|fasse|fassen sie|zusammenfassen|gib|geben sie|nenne|nenn|nennen sie|liste|zähle?|extrahiere|lies|lesen sie|klassifiziere|ordne|sortiere|bewerte|erkläre?|erklären sie|beschreib|beschreibe|antworte|antworten sie|erstelle|erstellen sie|schreib|schreibe|sag|sage|sagen sie|such|suche|finde|entscheide|wähle?|verwende|nutze|mach|mache|wandle|worum|in einem|in zwei|in drei|kurz)(?![\\p{L}])|(?:in (?:nur )?(?:einem|zwei|drei) (?:\\p{L}+ )?s(?:atz|ätzen)|stichpunkt|aufzählung|mit einem wort|nur (?:die|das|den|mit) (?:kategorie|label|begriff|dem)|zusammen(?:fassen|fassung)|als (?:\\p{L}+ )?liste)|(?:folgenden?|unten)(?![\\p{L}]).{0,40}:?$`,
    "iu",
  ),
  summary:
    /zusammen(?:fass|gefasst)|\bfass(?:e|en)?\b.*\bzusammen\b|worum geht|wichtigsten punkte|hauptpunkte|kernaussage|kurzfassung|stichpunkte? (?:zu|über|aus)|\bwas ist passiert\b|in kürze/i,
  sentences:
    /\b(?:in|mit) (?:nur |genau |höchstens )?(\p{L}+|\d) (?:\p{L}+ ){0,2}?s(?:atz|ätzen?|ätze)(?!\p{L})/iu,
  bullets:
    /(?:(?:in|als|mit|genau|die|nenne|gib) )*(?:(einen?|einem|zwei|drei|vier|fünf|sechs|\d) )?(?:\p{L}+ )?(?:stichpunkt(?:e|en)?|aufzählungspunkt(?:e|en)?|spiegelstrich(?:e|en)?|hauptpunkte)(?!\p{L})|als (?:\p{L}+ )?liste(?!\p{L})/giu,
  classification:
    /klassifi|kategor|\blabels?\b|stimmung|\bordne\b|\bsortier|\bwelche[rsn]? (?:der|von)\b|einordnen|mit einem wort|^\W*ist (?:die|der|das|diese[rs]?)\b.*,.*\boder\b/i,
  yesOrNo: /\bja oder nein\b|\bja\/nein\b/i,
  labelLead:
    /.*(?::|(?<!\p{L})(?:als|in|entweder|ist|sind|war|von|zwischen|aus|ob|bewertung|nachricht)(?!\p{L}))\s*/iu,
  separator: /\s*,\s*(?:und\s+|oder\s+)?|\s+(?:und|oder|sowie)\s+|\s*;\s*|\s*\/\s*/i,
  conjunction: /,?\s+und\s+(?=(?:wie|was|wann|wo|wer|welche[rsn]?|warum|wieso|ist|sind|kann)(?!\p{L}))/iu,
  ordinals: [
    [/(?<!\p{L})(?:der|die|das|den|dem) erste[nrs]?(?!\p{L})/iu, 0],
    [/(?<!\p{L})(?:der|die|das|den|dem) zweite[nrs]?(?!\p{L})/iu, 1],
    [/(?<!\p{L})(?:der|die|das|den|dem) dritte[nrs]?(?!\p{L})/iu, 2],
    [/(?<!\p{L})(?:der|die|das|den|dem) vierte[nrs]?(?!\p{L})/iu, 3],
    [/(?<!\p{L})(?:der|die|das|den|dem) (?:aller)?letzte[nrs]?(?!\p{L})/iu, -1],
    [/(?<!\p{L})(?:der|die|das|den|dem) vorletzte[nrs]?(?!\p{L})/iu, -2],
  ],
  pronoun:
    /(?<!\p{L})(?:er|sie|es|ihm|ihn|ihr|ihre[nrms]?|sein|seine[nrms]?|dort|davon|dafür|dazu)(?!\p{L})/iu,
  questionWords:
    /(?<!\p{L})(?:sag mir|wer|wem|wen|was|wann|wo|wohin|woher|welche[nrms]?|warum|wieso|wie|wieviel)(?!\p{L})/giu,
  numbers: {
    ...{
      ein: 1,
      eine: 1,
      einem: 1,
      einen: 1,
      einzigen: 1,
      zwei: 2,
      drei: 3,
      vier: 4,
      fünf: 5,
      sechs: 6,
      sieben: 7,
    },
  },
  greeting:
    /^(?:hallo|hi|hey|servus|moin|guten (?:morgen|tag|abend)|grüß (?:gott|dich))(?: zusammen)?(?:[\s,!.]+wie geht(?:'s| es (?:dir|ihnen)))?[\s!?.,]*$|^wie geht(?:'s| es (?:dir|ihnen))[\s!?.]*$/i,
  thanks: /^(?:danke|vielen dank|besten dank|dankeschön)[^?]{0,40}$/i,
  identity: /^(?:wer|was) (?:bist du|sind sie)\b|^wie hei(?:ß|ss)t du\b|^was kannst du\b/i,
  greetings: [
    "Hallo! Wie kann ich helfen?",
    "Guten Tag! Was kann ich für dich tun?",
    "Hallo! Was möchtest du wissen?",
  ],
  welcome: "Gern geschehen!",
  introduction:
    "Ich bin ein lokales Modell des Emulators von Model Gateway. Ich antworte aus dem Kontext, den ich bekomme, rufe Werkzeuge auf, fülle JSON-Schemata, rechne, fasse zusammen und liste auf.",
  yes: "Ja",
  no: "Nein",
  notInContext: (asked) => `Der angegebene Kontext enthält keine Antwort auf „${asked}“.`,
  unknown: (asked) =>
    `Ich bin ein lokales Modell ohne Allgemeinwissen und kann „${asked}“ nicht beantworten, solange es nicht im Kontext steht.`,
  heard: (said) => `Ich habe deine Nachricht gelesen: „${said}“`,
};
