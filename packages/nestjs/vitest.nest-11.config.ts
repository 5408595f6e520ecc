import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** The same tests on the oldest Nest that the package supports. */
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  resolve: {
    alias: [{ find: /^(@nestjs\/(?:common|core|platform-express|terminus))(?=\/|$)/, replacement: "$1-11" }],
  },
  test: {
    name: "@model-gateway/nestjs on Nest 11",
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env: { NEST_MAJOR: "11" },
    execArgv: ["--require", fileURLToPath(new URL("test/use-nest-11.cjs", import.meta.url))],
    // The first runs Nest in a process of its own; the others need parts that are installed for Nest 12 only.
    exclude: [
      "**/node_modules/**",
      "test/{built-package,fastify,instance-proxies,microservice,readme,websocket}.test.ts",
    ],
  },
});
