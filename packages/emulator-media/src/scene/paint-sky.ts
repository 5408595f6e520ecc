import { mixColors } from "./hex-color.js";
import type { SceneFrame } from "./scene-frame.js";
import { n } from "./svg.js";

/** The sky with what stands still in it: light, stars, a rainbow. */
export function paintSky({ scene, width, height, horizon, palette, random }: SceneFrame): string {
  const parts = [
    `<defs><linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${palette.zenith}"/>` +
      `<stop offset="1" stop-color="${palette.horizon}"/></linearGradient>` +
      `<radialGradient id="halo"><stop offset="0" stop-color="${palette.light}" stop-opacity=".75"/>` +
      `<stop offset=".35" stop-color="${palette.light}" stop-opacity=".25"/>` +
      `<stop offset="1" stop-color="${palette.light}" stop-opacity="0"/></radialGradient></defs>`,
    `<rect width="${n(width)}" height="${n(horizon + 60)}" fill="url(#sky)"/>`,
  ];
  const hidden = scene.weather.some((kind) => ["rain", "storm", "fog", "cloudy"].includes(kind));
  const night = scene.time === "night";
  if (night && !hidden)
    parts.push(paintStars(width, horizon, random, scene.weather.includes("snow") ? 25 : 70));
  const x = width * (0.16 + 0.68 * random());
  const low = scene.time === "dusk" || scene.time === "dawn";
  const y = low
    ? horizon - height * ((scene.backdrops.includes("mountains") ? 0.3 : 0.05) + 0.05 * random())
    : horizon * (0.24 + 0.14 * random());
  const asked = scene.backdrops.includes("sun") || scene.backdrops.includes("moon");
  if (!hidden || asked)
    parts.push(
      night ? paintMoon(x, horizon * 0.26, palette.light) : paintSun(x, y, low ? 62 : 50, palette.light),
    );
  if (scene.backdrops.includes("rainbow")) parts.push(paintRainbow(width, horizon));
  return parts.join("");
}

export function paintStars(width: number, bottom: number, random: () => number, count: number): string {
  let stars = "";
  for (let index = 0; index < Math.round((count * width) / 1000); index++) {
    const radius = 0.9 + 2.2 * random() ** 3;
    stars += `<circle cx="${n(random() * width)}" cy="${n(random() * bottom * 0.85)}" r="${n(radius)}" fill="#fff" opacity="${n(0.4 + 0.6 * random())}"/>`;
  }
  return stars;
}

function paintSun(x: number, y: number, radius: number, light: string): string {
  return (
    `<circle cx="${n(x)}" cy="${n(y)}" r="${n(radius * 4.6)}" fill="url(#halo)"/>` +
    `<circle cx="${n(x)}" cy="${n(y)}" r="${n(radius)}" fill="${mixColors(light, "#ffd24d", 0.45)}"/>`
  );
}

function paintMoon(x: number, y: number, light: string): string {
  return (
    `<circle cx="${n(x)}" cy="${n(y)}" r="190" fill="url(#halo)" opacity=".55"/>` +
    `<mask id="moon"><circle cx="${n(x)}" cy="${n(y)}" r="50" fill="#fff"/><circle cx="${n(x + 24)}" cy="${n(y - 14)}" r="44" fill="#000"/></mask>` +
    `<circle cx="${n(x)}" cy="${n(y)}" r="50" fill="${light}" mask="url(#moon)"/>`
  );
}

function paintRainbow(width: number, horizon: number): string {
  const colors = ["#e5322d", "#f58220", "#fbc91b", "#2fa84f", "#2f6fe0", "#8a45c8"];
  const radius = Math.min(width * 0.45, horizon * 0.85);
  return colors
    .map(
      (color, index) =>
        `<circle cx="${n(width * 0.5)}" cy="${n(horizon)}" r="${n(radius - index * 13)}" fill="none" stroke="${color}" stroke-width="13.5" opacity=".55"/>`,
    )
    .join("");
}

/** One cloud around its centre. */
export function paintCloud(size: number, color: string, opacity: number): string {
  const lobes = [
    [-0.75, 0.12, 0.36],
    [-0.3, -0.16, 0.48],
    [0.25, -0.05, 0.44],
    [0.72, 0.14, 0.32],
  ] as const;
  const circles = lobes
    .map(([x, y, r]) => `<circle cx="${n(x * size)}" cy="${n(y * size)}" r="${n(r * size)}"/>`)
    .join("");
  const base = `<rect x="${n(-1.1 * size)}" y="${n(0.1 * size)}" width="${n(2.14 * size)}" height="${n(0.37 * size)}" rx="${n(0.18 * size)}"/>`;
  return `<g fill="${color}" opacity="${n(opacity)}">${circles}${base}</g>`;
}
