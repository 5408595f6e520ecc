import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // Encoders want a core of their own and do not always get it.
    testTimeout: 60_000,
    // ES modules without saying so, which Node does not load by itself.
    server: { deps: { inline: ["tinyh264"] } },
  },
});
