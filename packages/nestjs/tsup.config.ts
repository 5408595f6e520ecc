import { definePackageBuild } from "../../tooling/define-package-build.js";

export default definePackageBuild({
  entry: {
    bullmq: "src/bullmq.ts",
    index: "src/index.ts",
    prometheus: "src/prometheus.ts",
    redis: "src/redis.ts",
    s3: "src/s3.ts",
    terminus: "src/terminus.ts",
    testing: "src/testing.ts",
  },
  format: ["esm", "cjs"],
  keepNames: true,
});
