const SYLLABLE_SECONDS = 0.16;
const LETTER_SECONDS = 0.09;
const SPACE_SECONDS = 0.09;
const PUNCTUATION_SECONDS = 0.22;
const FADE_SECONDS = 0.015;

// The share of a tone's time that it sounds; the rest separates it from the next.
const SOUNDING_SHARE = 0.85;
// With all harmonics equal and in step, the peak would be the square root of their number times this: below 32768.
const LOUDNESS = 8000;
const HARMONICS = 14;
const WAVE_SAMPLES = 512;

// A pentatonic scale in semitones, so that any text sounds like a tune.
const SCALE = [-5, -3, 0, 2, 4, 7];

// The first two resonances of five vowels, in hertz.
const VOWELS = [
  [730, 1090],
  [530, 1840],
  [270, 2290],
  [570, 840],
  [300, 870],
] as const;

/** How tones are played. */
export interface TonePlayer {
  /** Pitch in hertz that the scale is built on. */
  rootHertz: number;
  /** Factor on the speed. */
  speed: number;
  sampleRate: number;
}

/**
 * Plays one tone per character, each with the pitch and the vowel of its code point, and rests for spaces and, after
 * the first tone, punctuation. A text of nothing but punctuation is played as it stands.
 */
export function playTones(text: string, player: TonePlayer): Int16Array {
  const visible = [...text.trim()];
  const onlyPunctuation = visible.every((character) => isRest(character));
  const parts = visible.map((character) => {
    const rests = isRest(character) && !(onlyPunctuation && character !== " ");
    const length = Math.round((secondsOf(character, rests) / player.speed) * player.sampleRate);
    const part = new Int16Array(length);
    if (!rests) playSyllable(part, character.codePointAt(0)!, player);
    return part;
  });
  const sound = new Int16Array(parts.reduce((sum, { length }) => sum + length, 0));
  let to = 0;
  for (const part of parts) {
    sound.set(part, to);
    to += part.length;
  }
  return sound;
}

function isRest(character: string): boolean {
  return /^[\x20-\x7e]$/.test(character);
}

function secondsOf(character: string, rests: boolean): number {
  if (rests) return character === " " ? SPACE_SECONDS : PUNCTUATION_SECONDS;
  // A letter of an alphabet is only part of a syllable.
  const isLetter =
    /^\p{L}$/u.test(character) &&
    !/^[\p{Script=Han}\p{Script=Hira}\p{Script=Kana}\p{Script=Hang}]$/u.test(character);
  return isLetter ? LETTER_SECONDS : SYLLABLE_SECONDS;
}

function playSyllable(part: Int16Array, codePoint: number, { rootHertz, sampleRate }: TonePlayer): void {
  const hertz = rootHertz * 2 ** (SCALE[codePoint % SCALE.length]! / 12);
  const wave = makeWave(hertz, VOWELS[Math.floor(codePoint / SCALE.length) % VOWELS.length]!);
  const sounding = Math.floor(part.length * SOUNDING_SHARE);
  const fade = Math.min(FADE_SECONDS * sampleRate, sounding / 2);
  for (let index = 0; index < sounding; index++) {
    const envelope = Math.min(1, index / fade, (sounding - index) / fade);
    const turns = (hertz * index) / sampleRate;
    part[index] = envelope * wave[Math.floor((turns % 1) * WAVE_SAMPLES)]!;
  }
}

/** One period of a voice that sings a vowel, with the same power whatever the vowel. */
function makeWave(hertz: number, resonances: readonly number[]): Float32Array {
  const weights = Array.from({ length: HARMONICS }, (_, index) => weightOf(hertz * (index + 1), resonances));
  const total = Math.sqrt(weights.reduce((sum, weight) => sum + weight * weight, 0));
  return Float32Array.from({ length: WAVE_SAMPLES }, (_, at) =>
    weights.reduce(
      (value, weight, index) =>
        value + ((LOUDNESS * weight) / total) * Math.sin((2 * Math.PI * at * (index + 1)) / WAVE_SAMPLES),
      0,
    ),
  );
}

/** How strong a harmonic is: strong near a resonance, and weaker the higher it is. */
function weightOf(hertz: number, resonances: readonly number[]): number {
  const near = resonances.reduce((sum, resonance) => sum + Math.exp(-(((hertz - resonance) / 180) ** 2)), 0);
  return (0.06 + near) / (1 + hertz / 1500);
}
