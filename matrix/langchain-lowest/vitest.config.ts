import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { testOptions } from "../../tooling/test-options.js";

// The tests of the LangChain package and its contract, with the peers that this folder installs. `@langchain/core`
// 1.4.0 is both ends of its range today, so what differs here is the lowest `langchain`, and the oldest LangGraph that
// it takes.
const manifest = fileURLToPath(new URL("package.json", import.meta.url));
const peers = /^(@langchain\/(core|langgraph|classic)|langchain|zod)(\/|$)/;

export default defineConfig({
  plugins: [
    {
      name: "peers-of-this-folder",
      enforce: "pre",
      // As if imported from here, and not as an alias: that would go past the `exports` of the peers.
      resolveId(id, importer) {
        const ours = importer !== undefined && /\/packages\/(langchain|conformance)\//.test(importer);
        return ours && peers.test(id) ? this.resolve(id, manifest, { skipSelf: true }) : undefined;
      },
    },
  ],
  test: {
    ...testOptions,
    name: "langchain on its lowest peers",
    // The folder of the tests and not the root, which is this folder wherever vitest is started.
    dir: fileURLToPath(new URL("../../packages/", import.meta.url)),
    include: ["langchain/**/*.test.ts", "conformance/src/langchain/langchain-contract.test.ts"],
    env: { PEERS_INSTALLED_BY: manifest },
  },
});
