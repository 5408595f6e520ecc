import { type Readers, readMembers, readNumberText } from "../checks/read-members.js";
import type { Emulator } from "../emulator.js";
import { Answer } from "../http/answer.js";
import { APIError } from "../http/api-error.js";
import { BASE_KINDS } from "../http/base-kinds.js";
import type { JournalFilter } from "../state/journal.js";
import type { RecordedCall } from "../state/recorded-call.js";
import { type ControlRoute, emptyResponse, listResponse } from "./control-exchange.js";

const FILTER: Readers<JournalFilter> = {
  method: (field) => field.string(),
  path: (field) => field.string(),
  base: (field) => field.oneOf(BASE_KINDS),
  model: (field) => field.string(),
  status: readNumberText,
  key: (field) => field.string(),
};
/** What a page of the console may show; everything else is for the disk. */
const SHOWN = /^(?:image\/(?:png|jpeg|webp|gif)|audio\/|video\/)/;

/** `/api/journal`: the last requests to the gateway. */
export const journalRoutes: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/api/journal",
    handle: ({ emulator, query }) => listResponse(emulator.journal.list(readMembers(query, FILTER))),
  },
  {
    method: "DELETE",
    path: "/api/journal",
    handle: ({ emulator }) => {
      emulator.journal.clear();
      return emptyResponse();
    },
  },
  {
    method: "GET",
    path: "/api/journal/:id",
    handle: ({ emulator, parameters }) => Answer.json(requireCall(emulator, parameters["id"])),
  },
  {
    method: "GET",
    path: "/api/journal/:id/response",
    handle: ({ emulator, parameters }) => {
      const { entry, response } = requireCall(emulator, parameters["id"]);
      const bytes = emulator.journal.bytes(entry.id) ?? new Uint8Array();
      return new Answer(new Uint8Array(bytes), {
        headers: bodyHeaders(entry.id, response.headers["content-type"]),
      });
    },
  },
];

/** A body may be anything, also a page: under this origin, which controls the gateway, nothing of it runs. */
function bodyHeaders(id: string, type = "application/octet-stream"): Record<string, string> {
  const isShown = SHOWN.test(type);
  return {
    "content-type": isShown ? type : "application/octet-stream",
    "content-security-policy": "sandbox; default-src 'none'",
    "x-content-type-options": "nosniff",
    ...(!isShown && { "content-disposition": `attachment; filename="${id}.${extensionOf(type)}"` }),
  };
}

function extensionOf(type: string): string {
  if (type.includes("json")) return "json";
  return type.startsWith("text/") ? "txt" : "bin";
}

function requireCall(emulator: Emulator, wanted = ""): RecordedCall {
  const call = emulator.journal.get(wanted);
  if (call) return call;
  const isKnown = emulator.journal.list().some(({ id }) => id === wanted);
  throw APIError.notFound(
    isKnown
      ? "Bodies are not kept whole: the emulator was started to keep less of them."
      : `There is no request "${wanted.slice(0, 64)}" in the journal.`,
  );
}
