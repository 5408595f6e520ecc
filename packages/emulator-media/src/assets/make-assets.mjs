// Makes what pictures are drawn with out of packages from npm: flat icons with the fills that may be repainted, the
// words for them in three languages, and a font with Latin, Chinese and kana. Run by the build, into `dist/assets`,
// and from source by the first who draws: the results are too large to be kept beside their sources.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Resvg } from "@resvg/resvg-js";
import { decompress } from "wawoff2";

const require = createRequire(import.meta.url);

/** Animals, food, travel, activities and objects, as Emojibase numbers the groups of emoji. */
const GROUPS = new Set([3, 4, 5, 6, 7]);

/** Of the other groups only who can stand in a scene. */
const FIGURES = new Set(
  `woman man boy girl child baby person old-man old-woman robot ghost alien skull jack-o-lantern red-heart star
  snowman person-running person-walking person-standing woman-dancing man-dancing person-surfing person-swimming
  woman-astronaut man-astronaut astronaut princess prince mage superhero santa-claus mermaid fairy teddy-bear ninja
  person-biking person-climbing person-rowing-boat person-in-lotus-position person-playing-handball skier
  snowboarder artist singer cook farmer firefighter police-officer student teacher scientist technologist
  health-worker pilot detective vampire zombie elf genie family`.split(/\s+/),
);

const SAMPLE_SIDE = 48;

/** Of an icon's area, what a group of one hue has to fill to be preferred to larger darks and lights: tyres are not the bicycle. */
const SMALLEST_HUE_SHARE = 0.07;

/** Writes the assets into a folder that appears only when it is whole. */
export async function makeAssets(folder) {
  const target = resolve(folder);
  const unfinished = `${target}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  mkdirSync(unfinished, { recursive: true });
  const font = Buffer.from(await decompress(readFileSync(require.resolve(fontFile()))));
  writeFileSync(join(unfinished, "noto-sans-sc.ttf"), font);
  writeFileSync(join(unfinished, "glyphs.json"), JSON.stringify(readGlyphs(font)));
  writeFileSync(join(unfinished, "icons.json"), JSON.stringify(selectIcons()));
  writeFileSync(join(unfinished, "LICENSE.noto-sans-sc"), readLicence("@fontsource/noto-sans-sc"));
  writeFileSync(join(unfinished, "LICENSE.emojibase"), readLicence("emojibase-data"));
  writeFileSync(join(unfinished, "LICENSE.fluent-emoji"), FLUENT_EMOJI_LICENCE);
  try {
    renameSync(unfinished, target);
  } catch (error) {
    rmSync(unfinished, { recursive: true });
    // Another process was first; what it made is the same.
    if (!["ENOTEMPTY", "EEXIST", "EPERM"].includes(error.code)) throw error;
  }
}

function fontFile() {
  return "@fontsource/noto-sans-sc/files/noto-sans-sc-chinese-simplified-400-normal.woff2";
}

function readLicence(name) {
  return readFileSync(join(dirname(require.resolve(`${name}/package.json`)), "LICENSE"));
}

/** The icons by name, each with its markup, the fills of its main colour, and its words by language. */
function selectIcons() {
  const { icons } = require("@iconify-json/fluent-emoji-flat/icons.json");
  const names = new Map(
    Object.entries(require("@iconify-json/fluent-emoji-flat/chars.json")).map(([code, name]) => [
      plain(code),
      name,
    ]),
  );
  const selected = {};
  for (const language of ["en", "de", "zh"]) {
    for (const { group, hexcode, label } of require(`emojibase-data/${language}/compact.json`)) {
      const name = names.get(plain(hexcode));
      const icon = name && icons[name];
      if (!icon || !(GROUPS.has(group) || FIGURES.has(name))) continue;
      // Those with definitions of their own would clash when one is drawn twice.
      if (/\sid=/.test(icon.body)) continue;
      selected[name] ??= { body: icon.body, ...measure(icon.body), words: {} };
      selected[name].words[language] = label.toLowerCase();
    }
  }
  return selected;
}

function plain(hexcode) {
  return hexcode.toLowerCase().replaceAll("-fe0f", "");
}

/** The fills of the main colour, largest first by what is seen of them, and the box that is drawn in. */
function measure(body) {
  const fills = [...new Set(body.match(/fill="(#[0-9a-f]{3,6})"/g))].map((fill) => fill.slice(6, -1));
  const areas = new Map(fills.map((fill) => [fill, areaOf(body, fill)]));
  const groups = new Map();
  for (const fill of fills) {
    const hue = hueName(fill);
    const group = groups.get(hue) ?? { fills: [], area: 0, grey: hue === "dark" || hue === "light" };
    group.fills.push(fill);
    group.area += areas.get(fill);
    groups.set(hue, group);
  }
  const all = [...areas.values()].reduce((sum, area) => sum + area, 0) || 1;
  const ranked = [...groups.values()].sort((a, b) => b.area - a.area);
  const main = ranked.find(({ grey, area }) => !grey && area / all >= SMALLEST_HUE_SHARE) ?? ranked[0];
  return { paint: main ? main.fills.sort((a, b) => areas.get(b) - areas.get(a)) : [], box: boxOf(body) };
}

/** How many pixels show a fill, with everything that lies over it in place. */
function areaOf(body, fill) {
  const marked = body.replace(
    /(fill|stroke)="(#[0-9a-f]{3,6})"/g,
    (_, name, color) => `${name}="${name === "fill" && color === fill ? "#ff0000" : "#000000"}"`,
  );
  const { pixels } = rasterize(marked);
  let area = 0;
  for (let at = 0; at < pixels.length; at += 4) area += pixels[at] / 255;
  return area;
}

/** The drawn part of the 32 × 32 box: left, top, right, bottom. */
function boxOf(body) {
  const { pixels, width, height } = rasterize(body);
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let at = 3; at < pixels.length; at += 4) {
    if (pixels[at] < 64) continue;
    const x = ((at - 3) / 4) % width;
    const y = Math.floor((at - 3) / 4 / width);
    [left, top, right, bottom] = [
      Math.min(left, x),
      Math.min(top, y),
      Math.max(right, x + 1),
      Math.max(bottom, y + 1),
    ];
  }
  return [left / width, top / height, right / width, bottom / height].map(
    (share) => Math.round(share * 320) / 10,
  );
}

function rasterize(body) {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${body}</svg>`;
  const image = new Resvg(svg, {
    fitTo: { mode: "width", value: SAMPLE_SIDE },
    font: { loadSystemFonts: false },
  });
  return image.render();
}

function hueName(fill) {
  const hex = fill.length === 4 ? fill.replace(/[0-9a-f]/g, "$&$&") : fill;
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)];
  // The set's near-blacks and near-whites are tinted violet.
  if (most < 90) return "dark";
  if (most - least < 40) return least > 205 ? "light" : "grey";
  const spread = most - least;
  const sector =
    most === red
      ? (green - blue) / spread
      : most === green
        ? 2 + (blue - red) / spread
        : 4 + (red - green) / spread;
  return Math.round(((sector + 6) % 6) / 1.2);
}

/** Which characters the font has, as ranges, and how wide those of ASCII are in thousandths of the type's size. */
function readGlyphs(font) {
  const tables = new Map();
  for (let index = 0; index < font.readUInt16BE(4); index++) {
    const at = 12 + 16 * index;
    tables.set(font.toString("latin1", at, at + 4), font.readUInt32BE(at + 8));
  }
  const glyphs = readCharacterMap(font, tables.get("cmap"));
  const unitsPerEm = font.readUInt16BE(tables.get("head") + 18);
  const metrics = font.readUInt16BE(tables.get("hhea") + 34);
  const advanceOf = (glyph) =>
    Math.round(
      (1000 * font.readUInt16BE(tables.get("hmtx") + 4 * Math.min(glyph, metrics - 1))) / unitsPerEm,
    );
  const ranges = [];
  for (const code of [...glyphs.keys()].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last?.[1] === code - 1) last[1] = code;
    else ranges.push([code, code]);
  }
  const ascii = Array.from({ length: 95 }, (_, index) => advanceOf(glyphs.get(32 + index) ?? 0));
  return { ranges, ascii };
}

/** The glyph of every code point, of the subtable for all of Unicode (format 12) or its basic plane (format 4). */
function readCharacterMap(font, cmap) {
  const subtables = Array.from(
    { length: font.readUInt16BE(cmap + 2) },
    (_, index) => cmap + font.readUInt32BE(cmap + 8 + 8 * index),
  );
  const of = (format) => subtables.find((at) => font.readUInt16BE(at) === format);
  const glyphs = new Map();
  const full = of(12);
  if (full !== undefined) {
    for (let group = 0; group < font.readUInt32BE(full + 12); group++) {
      const at = full + 16 + 12 * group;
      const [first, last, glyph] = [0, 4, 8].map((offset) => font.readUInt32BE(at + offset));
      for (let code = first; code <= last; code++) glyphs.set(code, glyph + code - first);
    }
    return glyphs;
  }
  const basic = of(4);
  if (basic === undefined) throw new Error("The font has no character map that can be read.");
  const segments = font.readUInt16BE(basic + 6) / 2;
  for (let segment = 0; segment < segments; segment++) {
    const at = basic + 14 + 2 * segment;
    const last = font.readUInt16BE(at);
    const first = font.readUInt16BE(at + 2 * segments + 2);
    const delta = font.readUInt16BE(at + 4 * segments + 2);
    const offsetAt = at + 6 * segments + 2;
    const offset = font.readUInt16BE(offsetAt);
    for (let code = first; code <= last && code !== 0xffff; code++) {
      const glyph = offset === 0 ? code : font.readUInt16BE(offsetAt + offset + 2 * (code - first));
      if (glyph !== 0) glyphs.set(code, (glyph + delta) & 0xffff);
    }
  }
  return glyphs;
}

const FLUENT_EMOJI_LICENCE = `MIT License

Copyright (c) Microsoft Corporation.

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the
Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`;

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await makeAssets(process.argv[2] ?? "dist/assets");
}
