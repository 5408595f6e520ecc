import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const packageFolder = fileURLToPath(new URL("..", import.meta.url));
const { resolve } = createRequire(import.meta.url);
const run = promisify(execFile);

type Condition = "import" | "require";
const manifest: {
  publishConfig: { exports: Record<string, string | Record<Condition, { default: string }>> };
} = JSON.parse(await readFile(`${packageFolder}package.json`, "utf8"));

/** What is published, but for the manifest: the name of each entry and its file by condition. */
const ENTRIES = Object.entries(manifest.publishConfig.exports).flatMap(([name, conditions]) =>
  typeof conditions === "string" ? [] : [{ name, conditions }],
);
const FORMATS = [
  { format: "ES modules", condition: "import", extension: "mjs", compiled: ".js" },
  { format: "CommonJS", condition: "require", extension: "cjs", compiled: ".cjs" },
] as const;

/** Inside the package, so that Nest resolves from here as it does from `dist`. */
let folder: string;

/** The package's own build, with core inside: the sources of core are no JavaScript yet. */
beforeAll(async () => {
  folder = await mkdtemp(`${packageFolder}node_modules/.built-`);
  const config = `
    import builds from "../../tsup.config.js";
    const [build] = builds;
    export default { ...build, dts: false, clean: false, noExternal: ["@model-gateway/core"], outDir: ${JSON.stringify(folder)} };
  `;
  await writeFile(`${folder}/tsup.config.ts`, config);
  await writeFile(`${folder}/package.json`, JSON.stringify({ type: "module" }));
  const tsup = resolve("tsup/dist/cli-default.js");
  await run(process.execPath, [tsup, "--config", `${folder}/tsup.config.ts`], { cwd: packageFolder });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(FORMATS)("built as $format", ({ condition, extension, compiled }) => {
  const load = (path: string) => (condition === "import" ? `await import("${path}")` : `require("${path}")`);
  const loadEntry = (name: string) => {
    const entry = ENTRIES.find((entry) => entry.name === name);
    if (entry === undefined) throw new Error(`The package has no entry ${name}.`);
    return load(entry.conditions[condition].default.replace("./dist", folder));
  };

  /** Runs a program in a process of its own. @returns what it printed, as JSON */
  async function print(name: string, body: string): Promise<unknown> {
    const file = `${folder}/${name}.${extension}`;
    await writeFile(file, condition === "import" ? body : `(async () => {${body}})();`);
    const { stdout } = await run(process.execPath, [file]);
    return JSON.parse(stdout);
  }

  it("asks no compiler for decorator metadata, in any file", async () => {
    const files = (await readdir(folder)).filter((file) => file.endsWith(compiled));
    expect(files.length).toBeGreaterThanOrEqual(ENTRIES.length);
    for (const file of files) {
      expect(await readFile(`${folder}/${file}`, "utf8"), file).not.toContain("design:paramtypes");
    }
  });

  it.each(ENTRIES)("has the entry $name", async ({ name }) => {
    const names = await print(
      `entry${name.replace(/\W/g, "-")}`,
      `console.log(JSON.stringify(Object.keys(${loadEntry(name)})));`,
    );
    expect(names).not.toHaveLength(0);
  });

  it.each(ENTRIES)(
    "keeps the names of classes in $name, as logs and messages of Nest show them",
    async ({ name }) => {
      const body = `
      const entry = ${loadEntry(name)};
      const classes = Object.entries(entry).filter(([name, value]) => typeof value === "function" && /^[A-Z]/.test(name));
      console.log(JSON.stringify(classes.map(([name, value]) => [name, value.name])));
    `;
      const classes = (await print(`names${name.replace(/\W/g, "-")}`, body)) as Array<[string, string]>;
      for (const [exported, own] of classes) expect(own).toBe(exported);
    },
  );

  it("boots an application, whose entries know each other's classes", async () => {
    const body = `
      const { Module } = ${load(resolve("@nestjs/common"))};
      const { NestFactory } = ${load(resolve("@nestjs/core"))};
      const { TerminusModule } = ${load(resolve("@nestjs/terminus"))};
      const { ChatService, ModelGatewayModule, VideosService } = ${loadEntry(".")};
      const { ModelGatewayHealthIndicator } = ${loadEntry("./terminus")};
      class AppModule {}
      const gateway = ModelGatewayModule.forRoot({ apiKey: "sk-test", baseURL: "http://127.0.0.1:9/v1", maxRetries: 0 });
      Module({ imports: [TerminusModule, gateway], providers: [ModelGatewayHealthIndicator] })(AppModule);
      const app = await NestFactory.create(AppModule, { logger: ["error"] });
      await app.listen(0, "127.0.0.1");
      const services = [app.get(ChatService).gateway, app.get(VideosService).gateway].map((gateway) => gateway.baseURL);
      const health = await app.get(ModelGatewayHealthIndicator).isHealthy("gateway");
      console.log(JSON.stringify({ services, videos: await app.get(VideosService).list(), health }));
      await app.close();
    `;
    expect(await print("main", body)).toEqual({
      services: ["http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1"],
      videos: [],
      health: { gateway: { status: "down", reasons: ["The gateway cannot be reached."] } },
    });
  });
});
