import type { Readers } from "../checks/read-members.js";
import type { ModelPrice } from "./model-prices.js";
import type { EmulatorModel } from "./model-store.js";

/** How a model of one's own is read. */
export const MODEL_MEMBERS: Readers<EmulatorModel> = {
  id: (field) => field.nonEmptyString(),
  like: (field) => field.nonEmptyString(),
  price: (field) => {
    for (const name of Object.keys(field.object() ?? {})) field.get(name).number({ min: 0 });
    return field.value as ModelPrice;
  },
};
