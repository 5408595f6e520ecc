import { defineConfig } from "vitest/config";
import { testOptions } from "../../tooling/test-options.js";

export default defineConfig({
  test: {
    ...testOptions,
    // ES modules without saying so, which Node does not load by itself.
    server: { deps: { inline: ["tinyh264"] } },
  },
});
