import type { SharedV4Warning } from "@ai-sdk/provider";
import { PROVIDER_KEY } from "./model-gateway-config.js";

/** Warns of every provider option that was given and that this way of calling has no field for. */
export function warnUnsentOptions<Options extends object>(
  options: Options,
  sent: ReadonlySet<keyof Options>,
  what: string,
  warnings: SharedV4Warning[],
): void {
  for (const [name, value] of Object.entries(options)) {
    // A tag is no field of any body.
    if (value === undefined || name === "budgetTag" || sent.has(name as keyof Options)) continue;
    warnings.push({
      type: "unsupported",
      feature: `providerOptions.${PROVIDER_KEY}.${name}`,
      details: `${what} do not take it.`,
    });
  }
}
