import type { ToolCall, ToolCallDelta } from "./chat-types.js";

/** Puts the tool calls of one choice together from their fragments, however a route numbers and names them. */
export class ToolCallAssembler {
  readonly calls: ToolCall[] = [];
  /** Number on the wire to position in `calls`; they differ when a route starts at 1, or gives every call a 0. */
  private readonly positions = new Map<number, number>();

  add(fragment: ToolCallDelta): void {
    const position = this.locate(fragment);
    let call = this.calls[position];
    if (call === undefined) {
      call = { id: "", type: "function", function: { name: "", arguments: "" } };
      this.calls[position] = call;
    }
    const { id, function: called } = fragment;
    if (id) call.id ||= id;
    if (called?.name) call.function.name ||= called.name;
    call.function.arguments += argumentText(called?.arguments);
  }

  /**
   * The call a fragment belongs to. The format numbers calls; routes also leave the number out, or give every
   * call the number 0, and then only a new id or a new name tells that another call begins.
   */
  private locate({ index, id, function: called }: ToolCallDelta): number {
    const next = this.calls.length;
    const wireIndex = readIndex(index);
    if (wireIndex !== undefined) {
      const known = this.positions.get(wireIndex);
      const call = known === undefined ? undefined : this.calls[known];
      // Some routes send a new id with every fragment, so an id alone does not begin a call here.
      const another = call?.function.name && called?.name && call.id && id && call.id !== id;
      if (known !== undefined && !another) return known;
      this.positions.set(wireIndex, next);
      return next;
    }
    const last = this.calls[next - 1];
    if (last === undefined) return next;
    const known = id ? this.calls.findIndex((call) => call.id === id) : -1;
    if (known !== -1) return known;
    if (id && last.id) return next;
    const another = last.function.name && called?.name && isWholeJSON(last.function.arguments);
    return another ? next : next - 1;
  }
}

/** Some routes send the number as text. */
function readIndex(index: unknown): number | undefined {
  if (typeof index === "number") return index;
  return typeof index === "string" && /^\d+$/.test(index) ? Number(index) : undefined;
}

/** Some routes send arguments as an object. */
function argumentText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

function isWholeJSON(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
