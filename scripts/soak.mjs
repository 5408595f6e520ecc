// Hours of trouble in minutes: thousands of video tasks over replicas that are killed, brokers that go away and a gateway
// that refuses. `pnpm soak`; SOAK_TASKS and SOAK_SEED choose how many and which troubles.
import { spawnSync } from "node:child_process";

const env = { SOAK_TASKS: "2000", ...process.env };
const vitest = ["exec", "vitest", "run", "--project", "@model-gateway/nestjs", "packages/nestjs/test/soak"];
const { status } = spawnSync("pnpm", vitest, { env, stdio: "inherit", shell: process.platform === "win32" });
process.exit(status ?? 1);
