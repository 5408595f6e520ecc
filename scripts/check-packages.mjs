// Holds every public package against what its users will meet: the packed tarball passes publint and attw, and
// works in an empty project that npm installed, by `import` and by `require`, on every supported Node.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { buildSync, transformSync } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const scratch = mkdtempSync(join(tmpdir(), "model-gateway-packages-"));
/** The machine's own Node stands for the floor; the others come from npm. */
const NODE_VERSIONS = ["20", "22", "24"];
/** What has to resolve: here the entries also for the oldest way of TypeScript's, which knows no `exports`. */
const PROFILES = { core: "strict" };
/** Largest size of the whole client in bytes, minified and after gzip. */
const CORE_GZIP_BUDGET = 41 * 1024;

const executables = new Map();
const results = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0 };

const packages = readdirSync(join(root, "packages"))
  .map((folder) => ({
    folder,
    manifest: JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8")),
  }))
  .filter(({ manifest }) => !manifest.private)
  .map(({ folder, manifest }) => ({ folder, manifest, tarball: pack(folder) }));

for (const { folder, manifest, tarball } of packages) {
  check(`${folder}: publint`, () => run("publint", ["run", tarball, "--strict"], root));
  const esmOnly = manifest.main === undefined;
  check(`${folder}: types resolve`, () =>
    run(
      "attw",
      [
        tarball,
        "--profile",
        esmOnly ? "esm-only" : (PROFILES[folder] ?? "node16"),
        "--no-emoji",
        "--format",
        "ascii",
      ],
      root,
    ),
  );
  for (const [name, peers, entries] of projectsOf(folder, manifest)) {
    const project = installInto(name, manifest, peers, entries);
    for (const version of project ? NODE_VERSIONS : []) {
      check(`${name}: import on Node ${version}`, () => runNode(version, "smoke.mjs", project));
      check(`${name}: require on Node ${version}`, () => runNode(version, "smoke.cjs", project));
    }
  }
}

check("core: no Node module in the main entry", () => {
  for (const file of ["index.js", "index.cjs"]) {
    const text = readFileSync(join(root, "packages/core/dist", file), "utf8");
    if (/["']node:|require\(["']/.test(text)) throw new Error(`${file} imports a module`);
  }
});
check("core: size", () => {
  const { code } = transformSync(readFileSync(join(root, "packages/core/dist/index.js"), "utf8"), {
    minify: true,
  });
  const size = gzipSync(code).length;
  console.log(`        the whole client is ${size} bytes, minified and after gzip`);
  if (size > CORE_GZIP_BUDGET) throw new Error(`${size} bytes are more than ${CORE_GZIP_BUDGET}`);
});

rmSync(scratch, { recursive: true, force: true });
if (process.argv[2]) writeFileSync(process.argv[2], JSON.stringify(results));
console.log(`${results.numPassedTests} package checks passed, ${results.numFailedTests} failed`);
process.exit(results.numFailedTests === 0 ? 0 : 1);

function check(name, test) {
  try {
    test();
    results.numPassedTests++;
    console.log(`ok      ${name}`);
  } catch (error) {
    results.numFailedTests++;
    console.log(`FAILED  ${name}\n${String(error.message).replace(/^/gm, "        ")}`);
  }
}

function run(command, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}\n${stdout}${stderr}`);
  return stdout;
}

function pack(folder) {
  const output = run(
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
    const imported = importsOf(
      join(root, "packages", folder, conditions.import?.default ?? conditions.default),
    );
    const peers = optional.filter((peer) =>
      imported.some((path) => path === peer || path.startsWith(`${peer}/`)),
    );
    const name = [folder, ...peers].join(" with ");
    const [, , entries] = projects.get(name) ?? [name, peers, []];
    projects.set(name, [name, peers, [...entries, entry]]);
  }
  return projects.values();
}

/** Packages that a built file imports when it is loaded, by itself or through its chunks. */
function importsOf(file) {
  const { metafile } = buildSync({
    entryPoints: [file],
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "node",
    packages: "external",
  });
  return Object.values(metafile.outputs)
    .flatMap(({ imports }) => imports)
    .filter(({ kind }) => kind === "import-statement")
    .map(({ path }) => path);
}

/** An empty project with this package, the packages of ours it needs, its peers, and some of its optional ones. */
function installInto(title, manifest, optionalPeers, entries) {
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
  let installed = false;
  check(`${title}: installs with npm`, () => {
    run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"], project);
    installed = true;
  });
  return installed ? project : undefined;
}

function runNode(version, file, cwd) {
  run(nodeOf(version), [file], cwd);
}

/** The executable of a version of Node; npm is asked for each once, which takes longer than a test does. */
function nodeOf(version) {
  if (process.versions.node.split(".")[0] === version) return process.execPath;
  const command = ["--yes", `--package=node@${version}`, "--", "node", "-p", "process.execPath"];
  if (!executables.has(version)) executables.set(version, run("npx", command, scratch).trim());
  return executables.get(version);
}
