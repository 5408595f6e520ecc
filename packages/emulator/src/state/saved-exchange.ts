import { isUtf8 } from "node:buffer";
import type { Field } from "../checks/field.js";
import { collectMembers, type Readers } from "../checks/read-members.js";
import type { RecordedExchange, RecordedField, RecordedPiece } from "./recording.js";

/** A piece of a body as JSON has it: as text where it is text. */
type SavedPiece = { atMs: number; text: string } | { atMs: number; base64: string };
type SavedExchange = Omit<RecordedExchange, "pieces"> & { pieces: SavedPiece[] };

const FORM_FIELD: Readers<RecordedField> = {
  name: (field) => field.string(),
  text: (field) => field.string(),
  file: (field) => {
    const file: Readers<NonNullable<RecordedField["file"]>> = {
      name: (member) => member.string(),
      type: (member) => member.string(),
      size: (member) => member.integer({ min: 0 }),
    };
    const vital = ["name", "type", "size"] as const;
    return collectMembers(field, file, { vital, complete: true }) as RecordedField["file"];
  },
};
const EXCHANGE: Readers<RecordedExchange> = {
  url: (field) => field.string(),
  requestHeaders: readHeaders,
  requestText: (field) => field.string(),
  requestForm: (field) =>
    field
      .items()
      ?.map((item) => collectMembers(item, FORM_FIELD, { vital: ["name"], complete: true }) as RecordedField),
  responseHeaders: readHeaders,
  pieces: (field) => field.items()?.flatMap((item) => readPiece(item) ?? []),
  dropped: (field) => field.boolean(),
};

/** An exchange as JSON. */
export function saveExchange(exchange: RecordedExchange): SavedExchange {
  return { ...exchange, pieces: exchange.pieces.map(savePiece) };
}

/** An exchange as it was saved. Problems are noted at the field. */
export function readExchange(field: Field): RecordedExchange | undefined {
  const vital = ["url", "requestHeaders", "pieces", "dropped"] as const;
  const known = field.noted.length;
  const exchange = collectMembers(field, EXCHANGE, { vital, complete: true });
  return field.noted.length > known ? undefined : (exchange as RecordedExchange);
}

function savePiece({ atMs, bytes }: RecordedPiece): SavedPiece {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return isUtf8(bytes)
    ? { atMs, text: buffer.toString("utf8") }
    : { atMs, base64: buffer.toString("base64") };
}

function readPiece(field: Field): RecordedPiece | undefined {
  const atMs = field.get("atMs").number({ min: 0 });
  const encoding = field.get("base64").present ? "base64" : "utf8";
  const text = field.get(encoding === "base64" ? "base64" : "text").string();
  if (atMs === undefined || text === undefined) return undefined;
  return { atMs, bytes: new Uint8Array(Buffer.from(text, encoding)) };
}

function readHeaders(field: Field): Readonly<Record<string, string>> | undefined {
  for (const name of Object.keys(field.object() ?? {})) field.get(name).string();
  return field.value as Readonly<Record<string, string>>;
}
