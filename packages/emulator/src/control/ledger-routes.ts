import { type Readers, readMembers } from "../checks/read-members.js";
import { Answer } from "../http/answer.js";
import type { LedgerFilter } from "../state/ledger.js";
import { type ControlRoute, listResponse } from "./control-exchange.js";

const FILTER: Readers<LedgerFilter> = {
  kind: (field) => field.oneOf(["charge", "refund"]),
  key: (field) => field.string(),
  group: (field) => field.string(),
  model: (field) => field.string(),
  endpoint: (field) => field.string(),
  requestId: (field) => field.string(),
  taskId: (field) => field.string(),
};

/** `/api/ledger`: what was charged and given back, its sum, and the emulator's own prices. */
export const ledgerRoutes: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/api/ledger",
    handle: ({ emulator, query }) => listResponse(emulator.ledger.list(readMembers(query, FILTER))),
  },
  {
    method: "GET",
    path: "/api/ledger/total",
    handle: ({ emulator, query }) => {
      const { key } = readMembers<{ key: string }>(query, { key: (field) => field.string() });
      return Answer.json(emulator.ledger.total(key));
    },
  },
  {
    method: "GET",
    path: "/api/ledger/prices",
    handle: ({ emulator }) =>
      Answer.json(Object.fromEntries(emulator.models.list().map(({ id, price }) => [id, price]))),
  },
];
