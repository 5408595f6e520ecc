import { APIError } from "../http/api-error.js";

/** How an upstream asks for a page of a list. */
export interface PageQuery {
  /** The names of the number of the page, which begins at 1, and of its size. */
  number: string;
  size: string;
  defaultSize: number;
  mostNumber: number;
  mostSize: number;
}

export interface Page {
  number: number;
  size: number;
  /** Its part of a list. */
  of<T>(items: readonly T[]): T[];
}

/** The page that a query asks for. @throws APIError 400 when it is out of bounds or no number */
export function readPage(url: URL, query: PageQuery): Page {
  const number = readBounded(url, query.number, 1, query.mostNumber);
  const size = readBounded(url, query.size, query.defaultSize, query.mostSize);
  return { number, size, of: (items) => items.slice((number - 1) * size, number * size) };
}

function readBounded(url: URL, name: string, usual: number, most: number): number {
  const given = url.searchParams.get(name);
  if (given === null || given === "") return usual;
  const value = /^\d{1,16}$/.test(given) ? Number(given) : 0;
  if (value >= 1 && value <= most) return value;
  throw APIError.badRequest(`${name} must be an integer from 1 to ${most} (got "${given.slice(0, 60)}").`);
}
