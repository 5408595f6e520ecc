import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { AIMessage } from "@langchain/core/messages";
import core from "@langchain/core/package.json" with { type: "json" };
import langgraph from "@langchain/langgraph/package.json" with { type: "json" };
import * as langchain from "langchain";
import langchainManifest from "langchain/package.json" with { type: "json" };
import { expect, it } from "vitest";

const own = createRequire(import.meta.url);
const { PEERS_INSTALLED_BY: manifest } = process.env;

it("runs on the peers it says it runs on, and on one copy of LangChain's core", () => {
  const inForce = {
    "@langchain/core": core.version,
    "@langchain/langgraph": langgraph.version,
    langchain: langchainManifest.version,
  };
  if (manifest === undefined) {
    const versionOf = (name: string) => (own(`${name}/package.json`) as { version: string }).version;
    for (const [name, version] of Object.entries(inForce)) expect(version, name).toBe(versionOf(name));
  } else {
    const { dependencies } = JSON.parse(readFileSync(manifest, "utf8"));
    expect(dependencies).toMatchObject(inForce);
    expect(inForce.langchain).not.toBe((own("langchain/package.json") as { version: string }).version);
  }
  expect(langchain.AIMessage).toBe(AIMessage);
});
