import { fileURLToPath } from "node:url";
import { compileProgram, type Program } from "@model-gateway/test-servers";

export { type Child, startChild } from "@model-gateway/test-servers";

const EXTERNAL = ["@nestjs/*", "@opentelemetry/*", "bullmq", "drizzle-orm", "ioredis", "pg", "rxjs"];

/** Compiles a program of `test/children` for processes of their own. */
export function compileChild(name: string): Promise<Program> {
  return compileProgram(fileURLToPath(new URL("..", import.meta.url)), name, EXTERNAL);
}
