import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build, type Format } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const packageFolder = fileURLToPath(new URL("..", import.meta.url));
const run = promisify(execFile);
const FORMATS: Array<{ format: Format; file: string; load: (path: string) => string }> = [
  { format: "esm", file: "index.mjs", load: (path) => `await import(${JSON.stringify(path)})` },
  { format: "cjs", file: "index.cjs", load: (path) => `require(${JSON.stringify(path)})` },
];

/** Inside the package, so that Nest resolves from here as it does from `dist`. */
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(`${packageFolder}node_modules/.built-`);
  for (const { format, file } of FORMATS) {
    await build({
      absWorkingDir: packageFolder,
      entryPoints: ["src/index.ts"],
      outfile: `${folder}/${file}`,
      bundle: true,
      format,
      platform: "node",
      target: "node20",
      external: ["@nestjs/*", "rxjs"],
      logLevel: "silent",
    });
  }
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(FORMATS)("compiled to $format without type information", ({ format, file, load }) => {
  it("asks no compiler for decorator metadata", async () => {
    const code = await readFile(`${folder}/${file}`, "utf8");
    expect(code).toContain("ModelGatewayModule");
    expect(code).not.toContain("design:paramtypes");
  });

  it("boots an application", async () => {
    const main = `${folder}/main.${format === "esm" ? "mjs" : "cjs"}`;
    const body = `
      const { NestFactory } = ${load(createRequire(import.meta.url).resolve("@nestjs/core"))};
      const { ChatService, ModelGatewayModule, VideosService } = ${load(`${folder}/${file}`)};
      const app = await NestFactory.create(
        ModelGatewayModule.forRoot({ apiKey: "sk-test", baseURL: "http://127.0.0.1:9/v1" }),
        { logger: ["error"] },
      );
      await app.listen(0, "127.0.0.1");
      const services = [app.get(ChatService).gateway, app.get(VideosService).gateway].map((gateway) => gateway.baseURL);
      console.log(JSON.stringify({ services, videos: await app.get(VideosService).list() }));
      await app.close();
    `;
    await writeFile(main, format === "esm" ? body : `(async () => {${body}})();`);
    const { stdout } = await run(process.execPath, [main]);
    expect(JSON.parse(stdout)).toEqual({
      services: ["http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1"],
      videos: [],
    });
  });
});
