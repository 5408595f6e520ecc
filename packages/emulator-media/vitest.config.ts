import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // ES modules without saying so, which Node does not load by itself.
    server: { deps: { inline: ["tinyh264"] } },
  },
});
