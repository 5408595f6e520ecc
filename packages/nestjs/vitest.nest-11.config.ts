import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { testOptions } from "../../tooling/test-options.js";

/** The same tests on the oldest Nest that the package supports. */
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  resolve: {
    alias: [
      { find: /^(@nestjs\/(?:common|core|platform-express|terminus|testing))(?=\/|$)/, replacement: "$1-11" },
    ],
  },
  test: {
    ...testOptions,
    name: "@model-gateway/nestjs on Nest 11",
    env: { NEST_MAJOR: "11" },
    execArgv: ["--require", fileURLToPath(new URL("test/use-nest-11.cjs", import.meta.url))],
    exclude: [
      "**/node_modules/**",
      // Processes of their own, and files that have nothing to do with Nest.
      "test/{bad-day,built-package,kept-files,killed-queue,many-watches,sigkill,traces}.test.ts",
      "test/{bullmq,outbox,soak}/*.test.ts",
      "test/redis/stream-store.test.ts",
      "src/videos/journal/*.test.ts",
      // Parts that are installed for Nest 12 only.
      "test/{fastify,instance-proxies,microservice,readme,redis-microservice,swagger,websocket}.test.ts",
    ],
  },
});
