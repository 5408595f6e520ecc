/** A rectangle in whole pixels. */
export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/**
 * Divides an area into equal cells, row by row, in the grid whose cells have the longest short side. Fewer than
 * `count` when not even one pixel is left for each.
 */
export function placeThumbnails(area: Rectangle, count: number, gap: number): Rectangle[] {
  const grids = Array.from({ length: count }, (_, index) => {
    const columns = index + 1;
    const rows = Math.ceil(count / columns);
    return {
      columns,
      width: Math.floor((area.width - (columns - 1) * gap) / columns),
      height: Math.floor((area.height - (rows - 1) * gap) / rows),
    };
  });
  const [best] = grids.sort((a, b) => Math.min(b.width, b.height) - Math.min(a.width, a.height));
  if (!best || best.width < 1 || best.height < 1) return [];
  const { columns, width, height } = best;
  return Array.from({ length: count }, (_, index) => ({
    x: area.x + (index % columns) * (width + gap),
    y: area.y + Math.floor(index / columns) * (height + gap),
    width,
    height,
  }));
}
