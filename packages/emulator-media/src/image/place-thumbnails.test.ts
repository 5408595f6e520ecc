import { expect, test } from "vitest";
import { placeThumbnails } from "./place-thumbnails.js";

const area = { x: 10, y: 20, width: 300, height: 200 };

test("gives one thumbnail the whole area", () => {
  expect(placeThumbnails(area, 1, 8)).toEqual([area]);
});

test("places two side by side in a wide area and above each other in a tall one", () => {
  expect(placeThumbnails(area, 2, 8).map(({ y }) => y)).toEqual([20, 20]);
  expect(placeThumbnails({ ...area, width: 100 }, 2, 8).map(({ x }) => x)).toEqual([10, 10]);
});

test.each([3, 5, 7, 16])("keeps %i apart from each other and inside the area", (count) => {
  const cells = placeThumbnails(area, count, 8);
  expect(cells).toHaveLength(count);
  for (const [index, cell] of cells.entries()) {
    expect(cell.x).toBeGreaterThanOrEqual(10);
    expect(cell.y).toBeGreaterThanOrEqual(20);
    expect(cell.x + cell.width).toBeLessThanOrEqual(310);
    expect(cell.y + cell.height).toBeLessThanOrEqual(220);
    for (const other of cells.slice(index + 1)) {
      const apart = other.x >= cell.x + cell.width + 8 || other.y >= cell.y + cell.height + 8;
      expect(apart).toBe(true);
    }
  }
});

test("places none where there is no room", () => {
  expect(placeThumbnails({ x: 0, y: 0, width: 0, height: 50 }, 2, 8)).toEqual([]);
  expect(placeThumbnails(area, 0, 8)).toEqual([]);
});
