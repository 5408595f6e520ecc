/** Where things stand in a text of JSON. */
export interface LocatedJSON {
  /** The offset of what is no JSON; undefined where all of it is. */
  error: number | undefined;
  /** The offset of each value by its path: `response.events[3].atMs`; that of all is "". */
  offsets: Map<string, number>;
}

/** A mark, the beginning of a string, or a value of another kind. */
const TOKEN =
  /[ \t\r\n]*(?:([{}[\],:])|(")|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y;

/** An object or a list that is open. */
interface Open {
  path: string;
  kind: "{" | "[";
  /** Of a list: how many items are there. */
  items: number;
  /** Of an object: the member whose value comes next. */
  name: string | undefined;
}

/** Reads a text of JSON for where its values stand, and where it ceases to be JSON. */
export function locateJSON(text: string): LocatedJSON {
  const offsets = new Map<string, number>();
  const open: Open[] = [];
  /** What may come next. */
  let wanted: "value" | "value or ]" | "name" | "name or }" | ":" | ", or end" | "nothing" = "value";
  let at = 0;
  const pathHere = () => {
    const inside = open.at(-1);
    if (inside === undefined) return "";
    if (inside.kind === "[") return `${inside.path}[${inside.items++}]`;
    return inside.path === "" ? (inside.name ?? "") : `${inside.path}.${inside.name}`;
  };
  for (;;) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text);
    if (!token) break;
    const [whole, mark, quote] = token;
    const start = at + whole.length - whole.trimStart().length;
    const string = quote === undefined ? undefined : readString(text, start);
    if (string?.value === undefined && quote !== undefined) return { error: start, offsets };
    const isValue = wanted === "value" || wanted === "value or ]";
    if (mark === undefined || ((mark === "{" || mark === "[") && isValue)) {
      if (string !== undefined && (wanted === "name" || wanted === "name or }")) {
        const inside = open.at(-1);
        if (inside) inside.name = string.value;
        wanted = ":";
      } else {
        if (!isValue) return { error: start, offsets };
        const path = pathHere();
        offsets.set(path, start);
        if (mark === undefined) wanted = open.length === 0 ? "nothing" : ", or end";
        else {
          open.push({ path, kind: mark as "{" | "[", items: 0, name: undefined });
          wanted = mark === "{" ? "name or }" : "value or ]";
        }
      }
    } else if (mark === ":" && wanted === ":") wanted = "value";
    else if (mark === "," && wanted === ", or end") wanted = open.at(-1)?.kind === "{" ? "name" : "value";
    else {
      const closes = mark === "}" ? "{" : "[";
      const mayClose = wanted === ", or end" || wanted === (mark === "}" ? "name or }" : "value or ]");
      if ((mark !== "}" && mark !== "]") || !mayClose || open.pop()?.kind !== closes) {
        return { error: start, offsets };
      }
      wanted = open.length === 0 ? "nothing" : ", or end";
    }
    at = string?.end ?? at + whole.length;
  }
  const rest = text.slice(at);
  const isOver = wanted === "nothing" && rest.trim() === "";
  return { error: isOver ? undefined : at + rest.length - rest.trimStart().length, offsets };
}

/** A string that begins at an offset; without a value where it is none. */
function readString(text: string, start: number): { end: number; value?: string } {
  let end = start + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  end++;
  try {
    return { end, value: JSON.parse(text.slice(start, end)) as string };
  } catch {
    return { end };
  }
}

/** The line of an offset, from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
