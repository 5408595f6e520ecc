/** A number as SVG holds it: rounded, so that every machine writes the same. */
export function n(value: number): string {
  return String(Math.round(value * 10) / 10 + 0);
}

/** Text as XML holds it. */
export function escapeXML(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A closed shape below a line of points, down to `bottom`. */
export function areaBelow(
  points: ReadonlyArray<readonly [x: number, y: number]>,
  bottom: number,
  fill: string,
): string {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return "";
  const line = points.map(([x, y]) => `${n(x)} ${n(y)}`).join("L");
  return `<path fill="${fill}" d="M${line}L${n(last[0])} ${n(bottom)}L${n(first[0])} ${n(bottom)}Z"/>`;
}
