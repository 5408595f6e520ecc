import { definePackageBuild } from "../../tooling/define-package-build.js";

const ENTRIES = [
  ...["account", "audio", "budget", "chat", "download", "embeddings", "errors", "images"],
  ...[
    "index",
    "ingest",
    "models",
    "moderations",
    "node",
    "opentelemetry",
    "prices",
    "redis",
    "resumable",
    "testing",
    "videos",
  ],
];

export default definePackageBuild({
  entry: Object.fromEntries(ENTRIES.map((name) => [name, `src/${name}.ts`])),
  chosen: {
    name: "#transport",
    entry: {
      transport: "src/transport/select-transport.ts",
      "web-transport": "src/transport/select-web-transport.ts",
    },
  },
  format: ["esm", "cjs"],
  platform: "neutral",
});
