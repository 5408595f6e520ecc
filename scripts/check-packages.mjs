// Holds every public package against what its users will meet: the packed tarball passes publint and attw, and
// works in an empty project that npm installed, by `import` and by `require`, on every supported Node.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { buildSync } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const scratch = mkdtempSync(join(tmpdir(), "model-gateway-packages-"));
/** The machine's own Node stands for the floor; the others come from npm. */
const NODE_VERSIONS = ["20", "22", "24"];
/** What has to resolve: here the entries also for the oldest way of TypeScript's, which knows no `exports`. */
const PROFILES = { core: "strict" };
/** Largest sizes of what a bundle holds of the client, in KiB, minified and after gzip. */
const CORE_KIB = {
  "ModelGateway, index": 41,
  "createAccount, account": 19,
  "createAudio, audio": 20,
  "createChat, chat": 24,
  "createDownloader, download": 21,
  "createEmbeddings, embeddings": 19,
  "createImages, images": 27,
  "createModels, models": 18,
  "createModerations, moderations": 20,
  "createVideos, videos": 23,
};

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

const coreDist = join(root, "packages/core/dist");
check("core: no Node module but in the entry for Node", () => {
  const files = readdirSync(coreDist).filter((file) => /\.c?js$/.test(file) && !file.startsWith("node."));
  for (const file of files) {
    const text = readFileSync(join(coreDist, file), "utf8");
    if (/["']node:|(?:require\(|from )["'][^."']/.test(text)) throw new Error(`${file} imports a module`);
  }
});
for (const [what, budget] of Object.entries(CORE_KIB)) {
  const [name, entry] = what.split(", ");
  check(`core: size of ${name}`, () => {
    const { outputFiles } = buildSync({
      stdin: { contents: `export { ${name} } from "./${entry}.js";`, resolveDir: coreDist },
      bundle: true,
      minify: true,
      format: "esm",
      platform: "neutral",
      write: false,
      logLevel: "error",
    });
    const kib = gzipSync(outputFiles[0].contents).length / 1024;
    console.log(`        ${name} alone: ${kib.toFixed(1)} KiB, minified and after gzip`);
    if (kib > budget) throw new Error(`${kib} KiB are more than ${budget}`);
  });
}

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
  const own = process.versions.node.split(".")[0] === version;
  const command = own
    ? [process.execPath, file]
    : ["npx", "--yes", `--package=node@${version}`, "--", "node", file];
  run(command[0], command.slice(1), cwd);
}
