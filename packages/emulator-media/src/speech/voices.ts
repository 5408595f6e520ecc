import { seededRandom } from "../random/seeded-random.js";

/** How a voice speaks. */
export interface Voice {
  /** The recorded voice that it is made from. */
  base: BaseVoice;
  /** Factor on the base's pitch, and with it on its timbre. */
  pitch: number;
  /** Factor on the base's speed. */
  pace: number;
}

/** The voices that are part of Flite, with their mean pitch in hertz: four men and a woman (slt). */
export const BASE_PITCH_HERTZ = { kal: 90, kal16: 90, awb: 125, rms: 100, slt: 175 };

type BaseVoice = keyof typeof BASE_PITCH_HERTZ;

const VOICES: Record<string, Voice> = {
  kal: { base: "kal", pitch: 1, pace: 1 },
  kal16: { base: "kal16", pitch: 1, pace: 1 },
  awb: { base: "awb", pitch: 1, pace: 1 },
  rms: { base: "rms", pitch: 1, pace: 1 },
  slt: { base: "slt", pitch: 1, pace: 1 },
  // Names that speech services have in common.
  alloy: { base: "slt", pitch: 0.92, pace: 1 },
  ash: { base: "rms", pitch: 0.94, pace: 1.03 },
  ballad: { base: "awb", pitch: 0.95, pace: 0.92 },
  cedar: { base: "kal16", pitch: 1.08, pace: 0.96 },
  coral: { base: "slt", pitch: 1.06, pace: 1.05 },
  echo: { base: "rms", pitch: 1.06, pace: 1 },
  fable: { base: "awb", pitch: 1.04, pace: 1 },
  marin: { base: "slt", pitch: 1.03, pace: 0.97 },
  nova: { base: "slt", pitch: 1.1, pace: 1.08 },
  onyx: { base: "rms", pitch: 0.88, pace: 0.96 },
  sage: { base: "slt", pitch: 0.97, pace: 0.92 },
  shimmer: { base: "slt", pitch: 1.16, pace: 1 },
  verse: { base: "awb", pitch: 1.1, pace: 1.06 },
};

const BASES_FOR_OTHER_NAMES: readonly BaseVoice[] = ["slt", "rms", "awb", "kal16"];

/** The names that have a voice of their own choosing; every other name gets one by its spelling. */
export const speechVoices: readonly string[] = Object.keys(VOICES);

/** The voice for a name in lower case, the same every time; a seed varies it slightly. */
export function findVoice(name: string, seed?: number): Voice {
  const voice = Object.hasOwn(VOICES, name) ? VOICES[name]! : makeUpVoice(name);
  if (seed === undefined) return voice;
  const random = seededRandom(seed);
  const vary = (value: number, share: number) => value * (1 + share * (2 * random() - 1));
  return { ...voice, pitch: vary(voice.pitch, 0.04), pace: vary(voice.pace, 0.05) };
}

function makeUpVoice(name: string): Voice {
  const random = seededRandom(
    [...name].reduce((hash, letter) => (hash * 31 + letter.codePointAt(0)!) >>> 0, 7),
  );
  return {
    base: BASES_FOR_OTHER_NAMES[Math.floor(random() * BASES_FOR_OTHER_NAMES.length)]!,
    pitch: 0.9 + 0.22 * random(),
    pace: 0.94 + 0.14 * random(),
  };
}
