import { readFileSync } from "node:fs";
import provider from "@ai-sdk/provider/package.json" with { type: "json" };
import providerUtils from "@ai-sdk/provider-utils/package.json" with { type: "json" };
import ai from "ai/package.json" with { type: "json" };
import { expect, it } from "vitest";

/** Set where the tests run with other versions than the package's own. */
const installer = process.env["PEERS_INSTALLED_BY"];

function manifestOf(path: string | URL): Record<string, Record<string, string>> {
  return JSON.parse(readFileSync(path, "utf8"));
}

it("the tests run with the versions that they are meant for", () => {
  const inForce = {
    ai: ai.version,
    "@ai-sdk/provider": provider.version,
    "@ai-sdk/provider-utils": providerUtils.version,
  };
  const own = manifestOf(new URL("../package.json", import.meta.url));
  const lowest = {
    "@ai-sdk/provider": own["dependencies"]?.["@ai-sdk/provider"]?.replace("^", ""),
    "@ai-sdk/provider-utils": own["dependencies"]?.["@ai-sdk/provider-utils"]?.replace("^", ""),
  };
  if (installer === undefined) {
    expect(inForce["@ai-sdk/provider"]).not.toBe(lowest["@ai-sdk/provider"]);
    expect(readFileSync(new URL("../README.md", import.meta.url), "utf8")).not.toContain(inForce.ai);
    return;
  }
  // What the folder installs is what runs, and is the lowest that the package's ranges take and its README promises.
  expect(manifestOf(installer)["dependencies"]).toMatchObject(inForce);
  expect(inForce).toMatchObject(lowest);
  expect(readFileSync(new URL("../README.md", import.meta.url), "utf8")).toContain(`is ${inForce.ai}`);
});
