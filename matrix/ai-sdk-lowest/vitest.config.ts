import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { testOptions } from "../../tooling/test-options.js";

// The provider's tests with the SDK that this folder installs: the lowest that the provider takes.
const manifest = fileURLToPath(new URL("package.json", import.meta.url));
const peers = /^(@ai-sdk\/(provider|provider-utils)|ai|zod)(\/|$)/;

export default defineConfig({
  plugins: [
    {
      name: "peers-of-this-folder",
      enforce: "pre",
      // As if imported from here, and not as an alias: that would go past the `exports` of the peers.
      resolveId(id, importer) {
        const ours = importer?.includes("/packages/ai-sdk-provider/") ?? false;
        return ours && peers.test(id) ? this.resolve(id, manifest, { skipSelf: true }) : undefined;
      },
    },
  ],
  test: {
    ...testOptions,
    name: "ai-sdk-provider on the lowest SDK",
    // The folder of the tests and not the root, which is this folder wherever vitest is started.
    dir: fileURLToPath(new URL("../../packages/ai-sdk-provider/", import.meta.url)),
    include: ["**/*.test.ts"],
    // The README's examples are run as files of their own, which find the package's own SDK.
    exclude: ["**/node_modules/**", "**/readme.test.ts"],
    env: { PEERS_INSTALLED_BY: manifest },
  },
});
