// Holds every public package against what its users will meet: the packed tarball passes publint and attw, and
// works in an empty project that npm installed, by `import` and by `require`, on every supported Node, and under Jest.
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { bundleSize } from "./bundle-size.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const scratch = mkdtempSync(join(tmpdir(), "model-gateway-packages-"));
/** The machine's own Node stands for the floor; the others come from npm. */
const NODE_VERSIONS = ["20", "22", "24"];
/** What has to resolve: here the entries also for the oldest way of TypeScript's, which knows no `exports`. */
const PROFILES = { core: "strict", emulator: "strict", nestjs: "strict" };
/** Projects beside those that follow from the manifests: what else is installed there. */
const COMPANIONS = {
  // Of its own accord it brings BullMQ 5, which Nest 11's queues are mostly on.
  "nestjs beside @nestjs/bullmq 11 and BullMQ 5": {
    folder: "nestjs",
    peers: ["bullmq"],
    entries: [".", "./bullmq", "./testing"],
    dependencies: {
      "@nestjs/bullmq": "^11.0.0",
      "@nestjs/common": "^11.0.0",
      "@nestjs/core": "^11.0.0",
      bullmq: "^5.0.0",
    },
  },
  "nestjs, its journal beside @nestjs/bullmq 11 and BullMQ 5": {
    folder: "nestjs",
    peers: [],
    entries: [".", "./testing"],
    dependencies: {
      "@nestjs/bullmq": "^11.0.0",
      "@nestjs/common": "^11.0.0",
      "@nestjs/core": "^11.0.0",
      bullmq: "^5.0.0",
    },
  },
};
const NEST_11 = ["common", "core", "platform-express", "testing"].map((part) => [
  `@nestjs/${part}`,
  "^11.0.1",
]);
/** Applications as `nest new` of version 11 makes them, by what Jest compiles them with. */
const JEST_PROJECTS = {
  "Jest 30 and ts-jest": {
    transform: "ts-jest",
    dependencies: { jest: "^30.0.0", "@types/jest": "^30.0.0", "ts-jest": "^29.4.0", typescript: "^5.7.3" },
  },
  "Jest 29 and SWC": {
    transform: "@swc/jest",
    dependencies: {
      jest: "^29.7.0",
      "@types/jest": "^29.5.0",
      "@swc/jest": "^0.2.39",
      "@swc/core": "^1.10.0",
    },
  },
};
const SWC = {
  jsc: {
    parser: { syntax: "typescript", decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
  },
};
const INSTALL = ["install", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
/** Largest sizes of what a bundle holds of the client, in KiB, minified and after gzip: for Node, and for the web. */
const CORE_KIB = {
  "ModelGateway, index": [46.6, 45.2],
  "createAccount, account": [18.6, 17.2],
  "createAudio, audio": [19.6, 18.2],
  "createChat, chat": [23.1, 21.6],
  "createDownloader, download": [21.1, 19.7],
  "createEmbeddings, embeddings": [22.4, 21],
  "createImages, images": [28.5, 27.1],
  "createModels, models": [17.6, 16.2],
  "createModerations, moderations": [19.9, 18.5],
  "createVideos, videos": [23.4, 22],
  // What is not imported from the root is not held.
  "createChat, index": [23.1, 21.6],
  "createModels, index": [17.6, 16.2],
  // Without the client.
  "createStreamHandlers, resumable": [7.5, 7.5],
  "ingestTexts, ingest": [5.9, 5.9],
  "createBudget, budget": [7.6, 7.6],
};

const executables = new Map();
const results = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0 };

const packages = [];
for (const folder of readdirSync(join(root, "packages"))) {
  const manifest = JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8"));
  if (!manifest.private) packages.push({ folder, manifest, tarball: await pack(folder) });
}

await runAll([
  ...packages.flatMap(({ folder, manifest, tarball }) => [
    ...[...projectsOf(folder, manifest)].map(
      ([name, peers, entries]) =>
        (check) =>
          tryProject(check, name, manifest, peers, entries),
    ),
    (check) => checkTarball(check, folder, manifest, tarball),
  ]),
  ...Object.entries(COMPANIONS).map(([name, companion]) => (check) => {
    const { manifest } = packages.find(({ folder }) => folder === companion.folder);
    return tryProject(check, name, manifest, companion.peers, companion.entries, companion.dependencies);
  }),
  ...Object.entries(JEST_PROJECTS).map(
    ([name, project]) =>
      (check) =>
        tryJest(check, name, project),
  ),
  checkCore,
]);

await rm(scratch, { recursive: true, force: true });
if (process.argv[2]) writeFileSync(process.argv[2], JSON.stringify(results));
console.log(`${results.numPassedTests} package checks passed, ${results.numFailedTests} failed`);
process.exit(results.numFailedTests === 0 ? 0 : 1);

/** Runs so many jobs at once as there are cores; what one says stands together. */
async function runAll(jobs) {
  const waiting = [...jobs];
  const work = async () => {
    for (let job = waiting.shift(); job; job = waiting.shift()) {
      const lines = [];
      await job((name, test) => check(lines, name, test));
      console.log(lines.join("\n"));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
}

/** Whether the test passed; what it returns is said below its name. */
async function check(lines, name, test) {
  try {
    const remark = await test();
    results.numPassedTests++;
    lines.push(`ok      ${name}${remark ? `: ${remark}` : ""}`);
    return true;
  } catch (error) {
    results.numFailedTests++;
    lines.push(`FAILED  ${name}\n${String(error.message).replace(/^/gm, "        ")}`);
    return false;
  }
}

async function checkTarball(check, folder, manifest, tarball) {
  await check(
    `${folder}: publint`,
    async () => void (await run("publint", ["run", tarball, "--strict"], root)),
  );
  const attw = (profile, ...more) =>
    run("attw", [tarball, "--profile", profile, "--no-emoji", "--format", "ascii", ...more], root);
  if (manifest.main === undefined) {
    await check(`${folder}: types resolve`, async () => void (await attw("esm-only")));
    return;
  }
  const esmOnly = Object.entries(manifest.publishConfig.exports)
    .filter(([, conditions]) => typeof conditions === "object" && conditions.require === undefined)
    .map(([entry]) => entry);
  const excluded = esmOnly.length > 0 ? ["--exclude-entrypoints", ...esmOnly] : [];
  await check(`${folder}: types resolve`, async () => {
    await attw(PROFILES[folder] ?? "node16", ...excluded);
    if (esmOnly.length > 0) await attw("esm-only", "--entrypoints", ...esmOnly);
  });
}

async function tryProject(check, name, manifest, peers, entries, more = {}) {
  const project = writeProject(name, manifest, peers, entries, more);
  const isInstalled = await check(`${name}: installs with npm`, async () => {
    await run("npm", INSTALL, project);
  });
  for (const version of isInstalled ? NODE_VERSIONS : []) {
    await check(`${name}: import on Node ${version}`, () => runNode(version, "smoke.mjs", project));
    await check(`${name}: require on Node ${version}`, () => runNode(version, "smoke.cjs", project));
  }
  await rm(project, { recursive: true, force: true });
}

async function tryJest(check, name, { transform, dependencies }) {
  const project = join(scratch, name.replace(/[^\w-]+/g, "-"));
  cpSync(join(root, "scripts/jest-project"), project, { recursive: true });
  const ours = ["core", "emulator", "nestjs"].map((wanted) => {
    const { manifest, tarball } = packages.find(({ folder }) => folder === wanted);
    return [manifest.name, `file:${tarball}`];
  });
  const manifest = {
    name: "jest-project",
    private: true,
    dependencies: {
      ...Object.fromEntries([...ours, ...NEST_11]),
      "@types/node": "^24.0.0",
      "reflect-metadata": "^0.2.2",
      rxjs: "^7.8.1",
      ...dependencies,
    },
    jest: {
      moduleFileExtensions: ["js", "json", "ts"],
      rootDir: "src",
      testRegex: ".*\\.spec\\.ts$",
      transform: { "^.+\\.(t|j)s$": transform },
      testEnvironment: "node",
    },
  };
  writeFileSync(join(project, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(project, ".swcrc"), JSON.stringify(SWC));
  const isInstalled = await check(`Nest 11 with ${name}: installs with npm`, async () => {
    await run("npm", INSTALL, project);
  });
  if (isInstalled) {
    const jest = join(project, "node_modules/jest/bin/jest.js");
    await check(`Nest 11 with ${name}: tests run`, async () => {
      await run(process.execPath, [jest, "--ci"], project);
    });
  }
  if (isInstalled && dependencies.typescript !== undefined) {
    const tsc = join(project, "node_modules/typescript/bin/tsc");
    for (const [module, moduleResolution] of [
      ["nodenext", "nodenext"],
      ["commonjs", "node10"],
    ]) {
      const options = ["--noEmit", "--module", module, "--moduleResolution", moduleResolution];
      if (module === "commonjs") options.push("--resolvePackageJsonExports", "false");
      await check(`Nest 11 with ${name}: types resolve as ${module}`, async () => {
        await run(process.execPath, [tsc, "-p", ".", ...options], project);
      });
    }
  }
  await rm(project, { recursive: true, force: true });
}

async function checkCore(check) {
  const dist = join(root, "packages/core/dist");
  await check("core: no module of others but in the entries for Node, OpenTelemetry, Redis and tests", () => {
    const files = readdirSync(dist).filter(
      (file) => /\.c?js$/.test(file) && !/^(node|opentelemetry|redis|testing)\./.test(file),
    );
    for (const file of files) {
      const text = readFileSync(join(dist, file), "utf8");
      if (/["']node:|(?:require\(|from )["'][^."'#]/.test(text)) throw new Error(`${file} imports a module`);
    }
  });
  // As npm has it: in this repository names lead to sources.
  const { tarball } = packages.find(({ folder }) => folder === "core");
  const unpacked = join(scratch, "core");
  mkdirSync(unpacked);
  await run("tar", ["-xzf", tarball, "-C", unpacked], scratch);
  for (const [what, limits] of Object.entries(CORE_KIB)) {
    const [name, entry] = what.split(", ");
    for (const [index, condition] of ["node", "browser"].entries()) {
      await check(`core: size of ${name} from ${entry} for ${condition}`, async () => {
        const code = `export { ${name} } from "./${entry}.js";`;
        const { first, all } = await bundleSize(code, join(unpacked, "package/dist"), [condition]);
        if (all > limits[index]) throw new Error(`${all} KiB are more than ${limits[index]}`);
        if (first < all) throw new Error("Some of it is loaded later.");
        return `${all.toFixed(1)} KiB, minified and after gzip`;
      });
    }
  }
}

function run(command, args, cwd) {
  const options = { cwd, encoding: "utf8", maxBuffer: 2 ** 26, shell: process.platform === "win32" };
  return new Promise((resolve, reject) => {
    execFile(command, args, options, (error, stdout, stderr) => {
      if (!error) resolve(stdout);
      else if (typeof error.code === "string") reject(error);
      else reject(new Error(`${command} ${args.join(" ")}\n${stdout}${stderr}`));
    });
  });
}

async function pack(folder) {
  const output = await run(
    "pnpm",
    ["pack", "--json", "--pack-destination", scratch],
    join(root, "packages", folder),
  );
  return JSON.parse(output).filename;
}

/**
 * The projects a package is tried in, as `[name, optional peers, entries]`: one without optional peers for all entries
 * that can do without, and one for each set of optional peers that some entry imports.
 */
function projectsOf(folder, manifest) {
  const optional = Object.entries(manifest.peerDependenciesMeta ?? {}).flatMap(([peer, meta]) =>
    meta.optional ? [peer] : [],
  );
  const projects = new Map();
  for (const [entry, conditions] of Object.entries(manifest.publishConfig.exports)) {
    if (entry === "./package.json") continue;
    const imported = importsOf(fileOf(folder, conditions));
    const peers = optional.filter((peer) =>
      imported.some((path) => path === peer || path.startsWith(`${peer}/`)),
    );
    const name = [folder, ...peers].join(" with ");
    const [, , entries] = projects.get(name) ?? [name, peers, []];
    projects.set(name, [name, peers, [...entries, entry]]);
  }
  return projects.values();
}

function fileOf(folder, conditions) {
  return join(root, "packages", folder, conditions.import?.default ?? conditions.default);
}

/** Packages that a built file imports when it is loaded, by itself, through its chunks or through packages of ours. */
function importsOf(file) {
  const { metafile } = buildSync({
    entryPoints: [file],
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "node",
    packages: "external",
    logLevel: "error",
  });
  return Object.values(metafile.outputs)
    .flatMap(({ imports }) => imports)
    .filter(({ kind }) => kind === "import-statement")
    .flatMap(({ path }) => {
      const ours = packages.find(
        ({ manifest }) => path === manifest.name || path.startsWith(`${manifest.name}/`),
      );
      if (ours === undefined) return [path];
      const entry = `.${path.slice(ours.manifest.name.length)}`;
      return [path, ...importsOf(fileOf(ours.folder, ours.manifest.publishConfig.exports[entry]))];
    });
}

/** An empty project with this package, the packages of ours it needs, its peers, some of its optional ones, and more. */
function writeProject(title, manifest, optionalPeers, entries, more) {
  const project = join(scratch, title.replace(/[^\w-]+/g, "-"));
  mkdirSync(project);
  const dependencies = {};
  const wanted = [manifest.name];
  while (wanted.length > 0) {
    const name = wanted.pop();
    const found = packages.find((candidate) => candidate.manifest.name === name);
    if (found === undefined || dependencies[name]) continue;
    dependencies[name] = `file:${found.tarball}`;
    const optional = found.manifest.peerDependenciesMeta ?? {};
    for (const [peer, range] of Object.entries(found.manifest.peerDependencies ?? {})) {
      if (optional[peer]?.optional && !optionalPeers.includes(peer)) continue;
      if (!range.startsWith("workspace:")) dependencies[peer] = range;
    }
    wanted.push(...Object.keys(found.manifest.dependencies ?? {}));
  }
  Object.assign(dependencies, more);
  // Peers that the frameworks themselves ask for.
  if (dependencies["@nestjs/core"]) dependencies["reflect-metadata"] = "^0.2.2";
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({ name: "smoke", private: true, dependencies }),
  );
  const specifiers = entries.map((entry) => manifest.name + entry.slice(1));
  const test = (load) =>
    specifiers
      .map(
        (specifier) =>
          `if (Object.keys(${load(specifier)}).length === 0) throw new Error("${specifier} exports nothing");`,
      )
      .join("\n");
  writeFileSync(
    join(project, "smoke.mjs"),
    test((specifier) => `(await import("${specifier}"))`),
  );
  writeFileSync(
    join(project, "smoke.cjs"),
    test((specifier) => `require("${specifier}")`),
  );
  return project;
}

async function runNode(version, file, cwd) {
  await run(await nodeOf(version), [file], cwd);
}

/** The executable of a version of Node; npm is asked for each once, which takes longer than a test does. */
function nodeOf(version) {
  if (process.versions.node.split(".")[0] === version) return process.execPath;
  const command = ["--yes", `--package=node@${version}`, "--", "node", "-p", "process.execPath"];
  if (!executables.has(version)) {
    executables.set(
      version,
      run("npx", command, scratch).then((path) => path.trim()),
    );
  }
  return executables.get(version);
}
