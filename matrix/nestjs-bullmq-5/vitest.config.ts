import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { testOptions } from "../../tooling/test-options.js";

// The tests of the store for many processes on the BullMQ that this folder installs: the lowest that the package takes,
// and what `@nestjs/bullmq` 11 brings along.
const manifest = fileURLToPath(new URL("package.json", import.meta.url));

export default defineConfig({
  plugins: [
    {
      name: "peers-of-this-folder",
      enforce: "pre",
      // As if imported from here, and not as an alias: that would go past the `exports` of the peer.
      resolveId(id, importer) {
        const ours = importer?.includes("/packages/nestjs/") ?? false;
        return ours && id === "bullmq" ? this.resolve(id, manifest, { skipSelf: true }) : undefined;
      },
    },
  ],
  test: {
    ...testOptions,
    name: "nestjs on BullMQ 5",
    // The folder of the tests and not the root, which is this folder wherever vitest is started.
    dir: fileURLToPath(new URL("../../packages/nestjs/test/bullmq/", import.meta.url)),
    include: ["**/*.test.ts"],
    globalSetup: fileURLToPath(
      new URL("../../packages/nestjs/test/provide-embedded-postgres.ts", import.meta.url),
    ),
    env: { PEERS_INSTALLED_BY: manifest },
  },
});
