import { readMembers } from "../checks/read-members.js";
import type { Emulator } from "../emulator.js";
import { Answer } from "../http/answer.js";
import { APIError } from "../http/api-error.js";
import type { EmulatorModel, ServedModel } from "../state/model-store.js";
import { MODEL_MEMBERS } from "../state/read-model.js";
import { type ControlRoute, emptyResponse, listResponse } from "./control-exchange.js";

/** `/api/models`: what is served, and models of one's own. */
export const modelRoutes: readonly ControlRoute[] = [
  { method: "GET", path: "/api/models", handle: ({ emulator }) => listResponse(emulator.models.list()) },
  {
    method: "POST",
    path: "/api/models",
    body: "required",
    handle: ({ emulator, body }) => {
      const model = readMembers(body, MODEL_MEMBERS, {
        vital: ["id", "like"],
        complete: true,
      }) as EmulatorModel;
      emulator.models.add(model);
      return Answer.json(requireServed(emulator, model.id), { status: 201 });
    },
  },
  {
    method: "DELETE",
    // An id may hold a slash.
    path: "/api/models/:id{.+}",
    handle: ({ emulator, parameters }) => {
      emulator.models.remove(requireServed(emulator, parameters["id"]).id);
      return emptyResponse();
    },
  },
];

function requireServed(emulator: Emulator, wanted = ""): ServedModel {
  const model = emulator.models.list().find(({ id }) => id === wanted);
  if (!model) throw APIError.notFound(`The emulator serves no model "${wanted.slice(0, 64)}".`);
  return model;
}
