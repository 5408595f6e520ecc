import { hexOf, mixColors } from "./hex-color.js";
import { PAINT_COLORS } from "./paint-color.js";
import { paintStars } from "./paint-sky.js";
import { rgbFromHsl } from "./rgb-color.js";
import type { Ground } from "./scene.js";
import type { SceneFrame } from "./scene-frame.js";
import { areaBelow, n } from "./svg.js";

type Painter = (frame: SceneFrame) => string;

const PAINTERS: Record<Ground, Painter> = {
  meadow: (frame) =>
    paintHills(
      frame,
      frame.scene.autumn ? ["#d9b45c", "#c08f3c", "#a8782f"] : ["#a9cf7c", "#84ba58", "#62a044"],
    ) + paintTufts(frame),
  snow: (frame) => paintHills(frame, ["#dfe9f3", "#ecf3f9", "#f8fbfd"]),
  desert: (frame) => paintHills(frame, ["#e8c48a", "#deb26c", "#d29d52"]),
  forest: paintForestGround,
  city: paintCityGround,
  sea: (frame) => paintWater(frame, frame.height),
  lake: (frame) => paintFarShore(frame) + paintWater(frame, frame.height),
  beach: paintBeach,
  room: paintRoom,
  studio: paintStudio,
  space: paintSpace,
};

/** The ground and what stands far behind the things of a scene. */
export function paintGround(frame: SceneFrame): string {
  const { scene } = frame;
  const outdoors = !["room", "studio", "space"].includes(scene.ground);
  let far = "";
  if (outdoors && scene.backdrops.includes("mountains")) far += paintMountains(frame);
  if (outdoors && scene.backdrops.includes("city") && scene.ground !== "city")
    far += paintSkyline(frame, 0.3, 0.45);
  const ground = PAINTERS[scene.ground](frame);
  const flowers =
    scene.backdrops.includes("flowers") && outdoors && scene.ground !== "sea" ? paintFlowers(frame) : "";
  return far + ground + flowers;
}

function ridge(
  frame: SceneFrame,
  top: number,
  amplitude: number,
  roughness: number,
): Array<[number, number]> {
  const { width, random } = frame;
  const waves = [1, 2, 3].map((turns) => ({
    turns: turns * (0.5 + random() * roughness),
    phase: random() * 7,
    height: amplitude / turns,
  }));
  // Whole steps: a sum of fractions would miss the last point.
  return Array.from({ length: 49 }, (_, index) => [
    (width * index) / 48,
    waves.reduce(
      (y, { turns, phase, height }) => y - height * Math.sin((turns * 2 * Math.PI * index) / 48 + phase),
      top,
    ),
  ]);
}

function paintHills(frame: SceneFrame, [far = "", middle = "", near = ""]: readonly string[]): string {
  const { height, horizon, palette } = frame;
  const span = height - horizon;
  return (
    areaBelow(ridge(frame, horizon, 26, 0.8), height, mixColors(far, palette.horizon, 0.3)) +
    areaBelow(ridge(frame, horizon + span * 0.24, 22, 0.7), height, middle) +
    areaBelow(ridge(frame, horizon + span * 0.56, 16, 0.6), height, near)
  );
}

function paintTufts({ width, height, horizon, random, scene }: SceneFrame): string {
  const color = scene.autumn ? "#8b5f22" : "#4c8836";
  let tufts = "";
  for (let index = 0; index < Math.round(width / 45); index++) {
    const x = random() * width;
    const y = horizon + (height - horizon) * (0.35 + 0.6 * random());
    tufts += `<path d="M${n(x)} ${n(y)}l-7 -15M${n(x)} ${n(y)}l0 -19M${n(x)} ${n(y)}l8 -14"/>`;
  }
  return `<g stroke="${color}" stroke-width="3" stroke-linecap="round" opacity=".5">${tufts}</g>`;
}

function paintFlowers({ width, height, horizon, random }: SceneFrame): string {
  const colors = [
    PAINT_COLORS.red,
    PAINT_COLORS.yellow,
    PAINT_COLORS.pink,
    PAINT_COLORS.white,
    PAINT_COLORS.purple,
  ];
  let flowers = "";
  for (let index = 0; index < Math.round(width / 14); index++) {
    const nearness = random();
    const y = horizon + (height - horizon) * (0.2 + 0.75 * nearness);
    flowers += `<circle cx="${n(random() * width)}" cy="${n(y)}" r="${n(4 + 7 * nearness)}" fill="${colors[index % colors.length]}"/>`;
  }
  return flowers;
}

function paintMountains(frame: SceneFrame): string {
  const { width, horizon, palette, random } = frame;
  const peak = (share: number, tone: number) => {
    const count = Math.max(3, Math.round(width / 380));
    let markup = "";
    for (let index = 0; index <= count; index++) {
      const x = (width * (index + 0.5 * random() - 0.2)) / count;
      const rise = horizon * share * (0.7 + 0.45 * random());
      const half = rise * (0.95 + 0.35 * random());
      const color = mixColors("#5d6f8f", palette.horizon, tone);
      const top = horizon - rise;
      markup += `<path fill="${color}" d="M${n(x - half)} ${n(horizon + 30)}L${n(x)} ${n(top)}L${n(x + half)} ${n(horizon + 30)}Z"/>`;
      markup += `<path fill="${mixColors("#ffffff", color, 0.15)}" d="M${n(x)} ${n(top)}L${n(x - half * 0.24)} ${n(top + rise * 0.25)}L${n(x - half * 0.07)} ${n(top + rise * 0.19)}L${n(x + half * 0.06)} ${n(top + rise * 0.27)}L${n(x + half * 0.24)} ${n(top + rise * 0.25)}Z"/>`;
    }
    return markup;
  };
  return peak(0.62, 0.45) + peak(0.42, 0.2);
}

function paintForestGround(frame: SceneFrame): string {
  const { height, horizon, palette, width, random, scene } = frame;
  const greens = scene.autumn ? ["#b5763a", "#c0602b", "#a24a22"] : ["#5d8f63", "#3f7a4a", "#2c6239"];
  let markup = areaBelow(
    ridge(frame, horizon - 10, 14, 0.8),
    height,
    mixColors(scene.autumn ? "#c8a25a" : "#7fae6a", palette.horizon, 0.15),
  );
  for (const [row, green] of greens.entries()) {
    const base = horizon + (height - horizon) * 0.14 * row;
    const color = mixColors(green, palette.horizon, 0.4 - 0.17 * row);
    const size = 190 + 75 * row;
    const step = 92 + 26 * row;
    for (let index = 0; index <= Math.ceil(width / step); index++) {
      // The last row leaves the middle to what the picture is about.
      const x = index * step + (random() - 0.5) * step * 0.6;
      const tall = size * (0.8 + 0.5 * random());
      if (row === 2 && x > width * 0.17 && x < width * 0.83) continue;
      markup += paintConifer(x, base + 24, tall, color);
    }
  }
  const grass = scene.autumn ? "#b98d48" : "#6d9f52";
  return (
    markup +
    areaBelow(ridge(frame, horizon + (height - horizon) * 0.4, 12, 0.6), height, grass) +
    paintTufts(frame)
  );
}

function paintConifer(x: number, base: number, tall: number, color: string): string {
  const tier = (top: number, bottom: number, half: number) =>
    `<path d="M${n(x)} ${n(base - tall * top)}L${n(x + tall * half)} ${n(base - tall * bottom)}L${n(x - tall * half)} ${n(base - tall * bottom)}Z"/>`;
  return (
    `<path fill="${mixColors("#5d4230", color, 0.4)}" d="M${n(x - tall * 0.035)} ${n(base - tall * 0.15)}h${n(tall * 0.07)}v${n(tall * 0.17)}h${n(-tall * 0.07)}z"/>` +
    `<g fill="${color}">${tier(1, 0.6, 0.15)}${tier(0.78, 0.34, 0.21)}${tier(0.55, 0.1, 0.27)}</g>`
  );
}

function paintSkyline(frame: SceneFrame, share: number, haze: number): string {
  const { width, horizon, palette, random, scene } = frame;
  const lit = scene.time === "night" || scene.time === "dusk";
  let markup = "";
  for (let x = -20; x < width; ) {
    const wide = 70 + 80 * random();
    const tall = horizon * share * (0.5 + 0.9 * random());
    const wall = mixColors(
      ["#7d8aa5", "#8f86a0", "#6f8296", "#9c8f8a"][Math.floor(random() * 4)] ?? "#7d8aa5",
      palette.horizon,
      haze,
    );
    const body = scene.time === "night" ? mixColors(wall, "#1a2145", 0.55) : wall;
    markup += `<path fill="${body}" d="M${n(x)} ${n(horizon - tall)}h${n(wide)}v${n(tall + 40)}h${n(-wide)}z"/>`;
    for (let row = 0; row < Math.floor(tall / 30) - 1; row++) {
      for (let column = 0; column < Math.floor(wide / 24) - 1; column++) {
        const shines = random() < (lit ? 0.55 : 0.85);
        const pane = lit
          ? shines
            ? "#ffe08a"
            : mixColors(body, "#000000", 0.2)
          : mixColors(body, "#ffffff", shines ? 0.35 : 0.15);
        markup += `<path fill="${pane}" d="M${n(x + 16 + column * 24)} ${n(horizon - tall + 18 + row * 30)}h11v15h-11z"/>`;
      }
    }
    x += wide + 6 + 14 * random();
  }
  return markup;
}

function paintCityGround(frame: SceneFrame): string {
  const { width, height, horizon } = frame;
  const curb = horizon + (height - horizon) * 0.3;
  const lane = curb + (height - curb) * 0.52;
  let dashes = "";
  for (let index = 0; index <= Math.ceil(width / 170); index++) {
    dashes += `<path d="M${n(index * 170 + 30)} ${n(lane)}h90v9h-90z"/>`;
  }
  const wet = frame.scene.weather.includes("rain") || frame.scene.weather.includes("storm");
  return (
    `${paintSkyline(frame, 0.62, 0.55)}${paintSkyline(frame, 0.42, 0.2)}` +
    `<path fill="#b7b3ad" d="M0 ${n(horizon)}h${n(width)}V${n(curb)}H0z"/><path fill="#8f8b87" d="M0 ${n(curb - 9)}h${n(width)}v12H0z"/>` +
    `<path fill="${frame.scene.weather.includes("snow") ? "#c9d3dd" : wet ? "#4a5260" : "#5e6168"}" d="M0 ${n(curb)}h${n(width)}V${n(height)}H0z"/><g fill="#f3efe2" opacity=".8">${dashes}</g>`
  );
}

function paintWater({ width, height, horizon, palette, random, scene }: SceneFrame, bottom: number): string {
  const near = scene.time === "night" ? "#122457" : scene.time === "dusk" ? "#3d4f8c" : "#2f86c4";
  const far = mixColors(scene.time === "night" ? "#2a3d78" : "#6fb7de", palette.horizon, 0.4);
  let waves = "";
  for (let index = 0; index < 26; index++) {
    const nearness = index / 25;
    const y = horizon + 14 + (bottom - horizon) * nearness ** 1.5;
    const length = 30 + 150 * nearness;
    for (let part = 0; part < width / 420; part++) {
      const x = random() * width;
      waves += `<path d="M${n(x)} ${n(y)}q${n(length / 4)} ${n(-4 - 6 * nearness)} ${n(length / 2)} 0t${n(length / 2)} 0" stroke-width="${n(2 + 3 * nearness)}"/>`;
    }
  }
  return (
    `<defs><linearGradient id="water" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${far}"/><stop offset="1" stop-color="${near}"/></linearGradient></defs>` +
    `<path fill="url(#water)" d="M0 ${n(horizon)}h${n(width)}V${n(height)}H0z"/>` +
    `<g fill="none" stroke="${mixColors(palette.light, "#ffffff", 0.4)}" stroke-linecap="round" opacity=".42">${waves}</g>`
  );
}

function paintFarShore(frame: SceneFrame): string {
  const { horizon, palette } = frame;
  return areaBelow(
    ridge(frame, horizon - 34, 22, 0.9),
    horizon + 20,
    mixColors("#5f8f5a", palette.horizon, 0.35),
  );
}

function paintBeach(frame: SceneFrame): string {
  const { height, horizon } = frame;
  const shore = horizon + (height - horizon) * 0.36;
  return (
    paintWater(frame, shore) +
    areaBelow(ridge(frame, shore - 8, 10, 0.6), height, "#f7f4ea") +
    areaBelow(ridge(frame, shore + 12, 10, 0.6), height, "#ecd3a0") +
    areaBelow(ridge(frame, shore + (height - shore) * 0.5, 12, 0.6), height, "#e3c488")
  );
}

function paintRoom(frame: SceneFrame): string {
  const { width, height, horizon, random, palette, scene } = frame;
  const tint = rgbFromHsl(20 + 200 * random(), 0.22, 0.8);
  const wall = scene.background
    ? mixColors(PAINT_COLORS[scene.background], "#ffffff", 0.25)
    : hexOf([tint.red, tint.green, tint.blue]);
  const left = width * (random() < 0.5 ? 0.1 : 0.66);
  const [wide, tall] = [Math.min(width * 0.24, 330), horizon * 0.55];
  const top = horizon * 0.16;
  const pane =
    `<rect x="${n(left - 12)}" y="${n(top - 12)}" width="${n(wide + 24)}" height="${n(tall + 24)}" fill="#fbf8f2"/>` +
    `<rect x="${n(left)}" y="${n(top)}" width="${n(wide)}" height="${n(tall)}" fill="url(#pane)"/>` +
    `<path fill="#fbf8f2" d="M${n(left + wide / 2 - 4)} ${n(top)}h8v${n(tall)}h-8zM${n(left)} ${n(top + tall / 2 - 4)}h${n(wide)}v8h${n(-wide)}z"/>` +
    `<rect x="${n(left - 24)}" y="${n(top + tall + 10)}" width="${n(wide + 48)}" height="14" fill="#efe9de"/>`;
  return (
    `<defs><linearGradient id="pane" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${palette.zenith}"/><stop offset="1" stop-color="${palette.horizon}"/></linearGradient></defs>` +
    `<rect width="${n(width)}" height="${n(height)}" fill="${wall}"/>${pane}` +
    `<path fill="#b5835a" d="M0 ${n(horizon)}h${n(width)}V${n(height)}H0z"/><path fill="#9c6d47" d="M0 ${n(horizon)}h${n(width)}v14H0z"/>` +
    `<g stroke="#9c6d47" stroke-width="4" opacity=".5"><path d="M0 ${n(horizon + (height - horizon) * 0.35)}h${n(width)}M0 ${n(horizon + (height - horizon) * 0.68)}h${n(width)}"/></g>`
  );
}

function paintStudio({ width, height, horizon, random, scene }: SceneFrame): string {
  const tint = rgbFromHsl(360 * random(), 0.35, 0.9);
  const base = scene.background ? PAINT_COLORS[scene.background] : hexOf([tint.red, tint.green, tint.blue]);
  const background = scene.background === "white" ? "#ffffff" : base;
  const edge = mixColors(background, "#000000", scene.background === "white" ? 0.035 : 0.1);
  return (
    `<defs><radialGradient id="studio" cx=".5" cy=".45" r=".75"><stop offset="0" stop-color="${background}"/><stop offset="1" stop-color="${edge}"/></radialGradient></defs>` +
    `<rect width="${n(width)}" height="${n(height)}" fill="url(#studio)"/>` +
    `<path fill="#000" opacity=".03" d="M0 ${n(horizon + 60)}h${n(width)}V${n(height)}H0z"/>`
  );
}

function paintSpace({ width, height, random }: SceneFrame): string {
  const tint = rgbFromHsl(200 + 120 * random(), 0.6, 0.3);
  const glow = hexOf([tint.red, tint.green, tint.blue]);
  const [x, y] = [width * random(), height * (0.2 + 0.5 * random())];
  return (
    `<defs><radialGradient id="nebula"><stop offset="0" stop-color="${glow}" stop-opacity=".9"/><stop offset="1" stop-color="${glow}" stop-opacity="0"/></radialGradient></defs>` +
    `<rect width="${n(width)}" height="${n(height)}" fill="#0a0d24"/><ellipse cx="${n(x)}" cy="${n(y)}" rx="${n(width * 0.6)}" ry="${n(height * 0.45)}" fill="url(#nebula)"/>` +
    paintStars(width, height / 0.85, random, 190)
  );
}
