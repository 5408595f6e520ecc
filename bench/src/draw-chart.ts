export interface ChartGroup {
  title: string;
  bars: Array<{ label: string; value: number }>;
}

const WIDTH = 760;
const LABEL_WIDTH = 230;
const BAR_HEIGHT = 18;
const GAP = 6;
const TITLE_HEIGHT = 34;

/** Horizontal bars per group, each with its value as a multiple of the floor. */
export function drawChart(groups: readonly ChartGroup[]): string {
  const shapes: string[] = [];
  let y = 10;
  for (const { title, bars } of groups) {
    const largest = Math.max(...bars.map(({ value }) => value));
    y += TITLE_HEIGHT;
    shapes.push(`<text x="10" y="${y - 10}" font-weight="bold">${title} (× floor, less is better)</text>`);
    for (const { label, value } of bars) {
      const length = ((WIDTH - LABEL_WIDTH - 70) * value) / largest;
      const colour = ["core", "langchain", "ai-sdk-provider"].includes(label)
        ? "#2563eb"
        : label === "floor"
          ? "#9ca3af"
          : "#d97706";
      shapes.push(
        `<text x="${LABEL_WIDTH - 8}" y="${y + 13}" text-anchor="end">${label}</text>`,
        `<rect x="${LABEL_WIDTH}" y="${y}" width="${length.toFixed(1)}" height="${BAR_HEIGHT}" fill="${colour}"/>`,
        `<text x="${(LABEL_WIDTH + length + 6).toFixed(1)}" y="${y + 13}">${value.toFixed(2)}</text>`,
      );
      y += BAR_HEIGHT + GAP;
    }
  }
  const height = y + 10;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="13"><title>How many times the floor each client takes</title><rect width="100%" height="100%" fill="white"/>${shapes.join("")}</svg>\n`;
}
