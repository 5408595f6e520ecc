import { readAsset } from "../assets/asset-folder.js";
import { mixColors } from "./hex-color.js";

/** A flat picture of one thing. */
export interface Figure {
  /** SVG markup in a box of 32 × 32. */
  body: string;
  /** The fills that a colour asked for replaces, main one first. */
  paint: readonly string[];
  /** What is drawn in of the box: left, top, right, bottom. */
  box: readonly [left: number, top: number, right: number, bottom: number];
  /** Where it is seen: in the air, in the water, or, by default, on the ground. */
  habitat?: "air" | "water";
}

/** Of the icon set these are heads only: they are given a sitting body of their colour. */
const HEADS: Record<string, { fur: string; belly: string; tail?: string }> = {
  fox: { fur: "#ff822d", belly: "#fff4e6", tail: "#fff4e6" },
  wolf: { fur: "#998ea4", belly: "#e6e6e6", tail: "#998ea4" },
  bear: { fur: "#a56953", belly: "#d3a384" },
  "polar-bear": { fur: "#f3eef8", belly: "#ffffff" },
  panda: { fur: "#3c3447", belly: "#f3eef8" },
  koala: { fur: "#9b9b9b", belly: "#e1d8ec" },
  lion: { fur: "#f8b044", belly: "#ffe0a3", tail: "#a56953" },
  hamster: { fur: "#ffb02e", belly: "#ffffff" },
  raccoon: { fur: "#8d8d96", belly: "#d3d3d3", tail: "#55555c" },
  frog: { fur: "#44911b", belly: "#c6d856" },
  unicorn: { fur: "#f4e9fb", belly: "#ffffff", tail: "#f092d0" },
  robot: { fur: "#cdc4d6", belly: "#8d8d9b" },
  moose: { fur: "#8c5543", belly: "#c3886a" },
};

/** Likewise heads of people, with what they wear. */
const PEOPLE: Record<string, { clothes: string; legs: string; skirt?: boolean; small?: boolean }> = {
  girl: { clothes: "#f06fae", legs: "#f2a9c9", skirt: true, small: true },
  boy: { clothes: "#2f8fe0", legs: "#3d5a94", small: true },
  child: { clothes: "#fbc91b", legs: "#3d5a94", small: true },
  woman: { clothes: "#8a45c8", legs: "#5a3a78", skirt: true },
  man: { clothes: "#2b6b8f", legs: "#3a4152" },
  person: { clothes: "#2fa88f", legs: "#3a4a5c" },
  "old-man": { clothes: "#7a6a52", legs: "#4a4a52" },
  "old-woman": { clothes: "#a0527a", legs: "#6a4a5c", skirt: true },
};

const AIRBORNE =
  /^(?:balloon|hot-air-balloon|kite|airplane|small-airplane|helicopter|rocket|satellite|flying-saucer|bird|eagle|butterfly|honeybee|bat|parachute|dove|ringed-planet|globe-.*|ghost|comet|shooting-star|ufo|fairy|owl|fly|mosquito|airplane-departure|star|dragon)$/;
const SWIMMING =
  /^(?:sailboat|ship|speedboat|motor-boat|ferry|passenger-ship|canoe|whale|spouting-whale|dolphin|shark|octopus|fish|tropical-fish|blowfish|duck|swan|goose|person-surfing|person-swimming|person-rowing-boat|seal|jellyfish|squid)$/;

const OWN: Record<string, Figure> = {
  sailboat: {
    body:
      `<path fill="#6b4a35" d="M15.4 3h1.2v20h-1.2z"/><path fill="#f6f3ee" d="M17.3 4.5C22 9 25 15 25.5 21h-8.2z"/>` +
      `<path fill="#f8312f" d="M14.7 6C11.5 10 8.500 15.500 7.500 21h7.200z"/>` +
      `<path fill="#ca0b4a" d="M4 23h25l-3.200 5.500a3 3 0 0 1-2.600 1.500H9.500a3 3 0 0 1-2.500-1.300z"/>` +
      `<path fill="#ffffff" opacity=".55" d="M5 24.500h23l-.6 1H5.700z"/>`,
    paint: ["#f8312f", "#ca0b4a"],
    box: [4, 3, 29, 30],
  },
  "hot-air-balloon": {
    body:
      `<path fill="#f8312f" d="M16 1.500c-6.300 0-10.500 4.600-10.500 10C5.500 16.500 10 21 13 24h6c3-3 7.500-7.500 7.500-12.500 0-5.400-4.200-10-10.500-10z"/>` +
      `<path fill="#fcd53f" d="M16 1.500c-2.600 0-4.600 4.600-4.600 10C11.400 16.500 13.500 21 14.700 24h2.600c1.200-3 3.300-7.500 3.300-12.500 0-5.400-2-10-4.600-10z"/>` +
      `<path stroke="#6b4a35" stroke-width=".5" d="M13.300 24l.5 3M18.700 24l-.5 3"/>` +
      `<path fill="#8c5543" d="M13.300 26.800h5.400v2.700a1 1 0 0 1-1 1h-3.400a1 1 0 0 1-1-1z"/>`,
    paint: ["#f8312f"],
    box: [5.5, 1.5, 26.5, 30.5],
  },
  lighthouse: {
    body:
      `<path fill="#f3eef8" d="M12 11h8l2.500 19h-13z"/><path fill="#f8312f" d="M11.500 15h9l.6 4.500H10.900zM10.300 24h11.400l.6 4.500H9.700z"/>` +
      `<path fill="#fcd53f" d="M12.500 6.500h7V11h-7z"/><path fill="#636363" d="M11 10.500h10v1.300H11z"/>` +
      `<path fill="#f8312f" d="M11.500 6.700L16 2.500l4.500 4.200z"/>`,
    paint: ["#f8312f"],
    box: [9.5, 2.5, 22.5, 30],
  },
  windmill: {
    body:
      `<path fill="#f3eef8" d="M12.500 13h7L22.500 30h-13z"/><path fill="#f8312f" d="M12 13.500L16 8l4 5.500z"/><path fill="#8c5543" d="M14.500 24h3v6h-3z"/>` +
      `<g fill="#d3b58f" stroke="#6b4a35" stroke-width=".5"><path d="M16 12L24.500 3.500l2 2zM16 12l8.500 8.500-2 2zM16 12L7.500 20.500l-2-2zM16 12L7.500 3.500l2-2z"/></g><circle cx="16" cy="12" r="1.200" fill="#6b4a35"/>`,
    paint: ["#f8312f"],
    box: [5.5, 1.5, 26.5, 30],
  },
  bottle: {
    body:
      `<path fill="#2fa84f" d="M13.500 3h5v7c0 2 3.500 3 3.500 6.500V28a2 2 0 0 1-2 2h-8a2 2 0 0 1-2-2V16.500C10 13 13.500 12 13.500 10z"/>` +
      `<path fill="#8c5543" d="M13.300 1.500h5.400V4h-5.400z"/><path fill="#fff" d="M10 18h12v7H10z" opacity=".85"/><path fill="#fff" d="M11.500 16.500h1.500v11h-1.500z" opacity=".3"/>`,
    paint: ["#2fa84f"],
    box: [10, 1.5, 22, 30],
  },
  circle: {
    body: `<circle cx="16" cy="16" r="14" fill="#2f6fe0"/>`,
    paint: ["#2f6fe0"],
    box: [2, 2, 30, 30],
  },
  ball: {
    body: `<circle cx="16" cy="16" r="14" fill="#2f6fe0"/><circle cx="11" cy="10.500" r="4" fill="#fff" opacity=".35"/>`,
    paint: ["#2f6fe0"],
    box: [2, 2, 30, 30],
  },
  square: { body: `<path fill="#2f6fe0" d="M3 3h26v26H3z"/>`, paint: ["#2f6fe0"], box: [3, 3, 29, 29] },
  rectangle: { body: `<path fill="#2f6fe0" d="M1 8h30v17H1z"/>`, paint: ["#2f6fe0"], box: [1, 8, 31, 25] },
  triangle: { body: `<path fill="#2f6fe0" d="M16 3l14 25H2z"/>`, paint: ["#2f6fe0"], box: [2, 3, 30, 28] },
  cube: {
    body: `<path fill="#2f6fe0" d="M3 9.500L16 16v14L3 23.500z"/><path fill="#2459b8" d="M29 9.500L16 16v14l13-6.500z"/><path fill="#6d9bee" d="M16 3l13 6.500L16 16 3 9.500z"/>`,
    paint: ["#2f6fe0", "#2459b8", "#6d9bee"],
    box: [3, 3, 29, 30],
  },
};

let icons: Record<string, Figure> | undefined;

/** A figure by its name, if there is one. */
export function findFigure(name: string): Figure | undefined {
  const figure = Object.hasOwn(OWN, name) ? OWN[name] : readIcon(name);
  if (!figure) return undefined;
  const head = Object.hasOwn(HEADS, name) ? HEADS[name] : undefined;
  const person = Object.hasOwn(PEOPLE, name) ? PEOPLE[name] : undefined;
  const whole = head ? withBody(figure, head) : person ? dressed(figure, person) : figure;
  if (AIRBORNE.test(name)) return { ...whole, habitat: "air" };
  return SWIMMING.test(name) ? { ...whole, habitat: "water" } : whole;
}

/** The names of all figures. */
export function figureNames(): string[] {
  icons ??= readAsset<Record<string, Figure>>("icons.json");
  return [...Object.keys(OWN), ...Object.keys(icons)];
}

function readIcon(name: string): Figure | undefined {
  icons ??= readAsset<Record<string, Figure>>("icons.json");
  return Object.hasOwn(icons, name) ? icons[name] : undefined;
}

/** Puts a head on a sitting body. */
function withBody(head: Figure, { fur, belly, tail }: { fur: string; belly: string; tail?: string }): Figure {
  const shade = mixColors(fur, "#000000", 0.14);
  const brush = tail
    ? `<path fill="${shade}" d="M21 27c4 1.500 8.500-.5 8.800-4.500.2-2.500-1.300-4.300-2.700-5.300.3 3-2 6-6.500 6.500z"/>` +
      `<path fill="${tail}" d="M29.700 21.300c.1-2-1.300-3.600-2.600-4.100.1 1.300-.2 2.500-.9 3.600z"/>`
    : "";
  const body =
    `${brush}<path fill="${fur}" d="M16 13c-4.500 0-7.500 5-7.500 10.500 0 4 1.700 7 3.500 7h8c1.800 0 3.500-3 3.500-7C23.500 18 20.500 13 16 13z"/>` +
    `<path fill="${belly}" d="M16 17c-2 0-3.300 2.500-3.300 6 0 3 .8 5.500 1.500 5.500h3.600c.7 0 1.500-2.500 1.500-5.500 0-3.500-1.300-6-3.300-6z"/>` +
    `<ellipse cx="12.600" cy="29.800" rx="2.600" ry="1.500" fill="${shade}"/><ellipse cx="19.400" cy="29.800" rx="2.600" ry="1.500" fill="${shade}"/>` +
    `<svg x="6.300" y="0" width="19.400" height="19.400" viewBox="0 0 32 32">${head.body}</svg>`;
  return { body, paint: [...new Set([fur, shade, ...head.paint])], box: [6, 1, tail ? 30 : 25, 31.3] };
}

/** Puts a person's head on a standing body in clothes, which are what a colour is for. */
function dressed(
  head: Figure,
  { clothes, legs, skirt, small }: { clothes: string; legs: string; skirt?: boolean; small?: boolean },
): Figure {
  const shade = mixColors(clothes, "#000000", 0.15);
  const size = small ? 15.5 : 12.5;
  const neck = size * 0.86;
  const hem = skirt ? 26.5 : 22.5;
  const flare = skirt ? 6 : 3.6;
  const body =
    `<path fill="${legs}" d="M13 ${hem - 1}h2.600v${31 - hem}H13zM16.400 ${hem - 1}H19v${31 - hem}h-2.600z"/>` +
    `<path fill="#4a3a34" d="M11.800 29.500h3.900V31h-3.900zM16.300 29.500h3.900V31h-3.900z"/>` +
    `<path stroke="${shade}" stroke-width="2.400" stroke-linecap="round" d="M12.700 ${neck + 2}L9.400 ${neck + 8}M19.300 ${neck + 2}l3.300 6"/>` +
    `<circle cx="9.200" cy="${neck + 8.8}" r="1.300" fill="#f9c23c"/><circle cx="22.800" cy="${neck + 8.8}" r="1.300" fill="#f9c23c"/>` +
    `<path fill="${clothes}" d="M13.500 ${neck}h5a2 2 0 0 1 2 1.700L${16 + flare} ${hem}h-${2 * flare}L11.500 ${neck + 1.7}a2 2 0 0 1 2-1.700z"/>` +
    `<svg x="${16 - size / 2}" y="0.300" width="${size}" height="${size}" viewBox="0 0 32 32">${head.body}</svg>`;
  return { body, paint: [clothes, shade], box: [8, 0.8, 24, 31] };
}
