import type { CallPrices } from "../costs/call-prices.js";
import type { Quote } from "../costs/cost.js";
import { ConfigurationError } from "../errors/errors.js";
import type { BillableCalls } from "./billable-calls.js";

/** What calls of a client cost. */
export class Costs {
  constructor(private readonly prices: CallPrices | undefined) {}

  /**
   * What a call can cost, before anything is sent. Undefined when its model has no price that such calls are paid by.
   *
   * @throws ConfigurationError when the client has no `prices`
   */
  quote<Name extends keyof BillableCalls>(name: Name, body: BillableCalls[Name]): Quote | undefined {
    if (this.prices !== undefined) return this.prices.quote(name, body);
    throw new ConfigurationError("A quote needs prices: give the client the option prices.", {
      option: "prices",
    });
  }
}
