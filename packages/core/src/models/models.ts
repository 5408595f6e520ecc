import type { APIPromise } from "../call/api-promise.js";
import { type RequestOptions, SHORT_TIMEOUT_MS } from "../call/call.js";
import type { Sender } from "../call/sender.js";

/** An entry of the model list, with everything the server sent. */
export interface Model {
  id: string;
  object: "model";
  owned_by: string;
  [field: string]: unknown;
}

/** `GET /models`. */
export class Models {
  constructor(private readonly sender: Sender) {}

  /** The models the key can reach: the authoritative list, since ids and availability change over time. */
  list(options?: RequestOptions): APIPromise<Model[]> {
    return this.sender.json(
      {
        name: "models.list",
        method: "GET",
        path: "/models",
        cost: "read",
        defaultTimeoutMs: SHORT_TIMEOUT_MS,
      },
      options,
      (body, unreadable) => {
        const { data } = (body ?? {}) as { data?: unknown };
        if (!Array.isArray(data)) throw unreadable("JSON that holds no model list: data is not an array");
        return data.filter((entry): entry is Model => typeof entry?.id === "string");
      },
    );
  }
}
