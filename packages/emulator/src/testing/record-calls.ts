import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { EmulatorOptions, UpstreamOptions } from "../index.js";
import { startEmulator } from "./start-emulator.js";

export const UPSTREAM_KEY = "sk-of-the-upstream/0123456789+abcdef";

/** What a server answers. */
export type Handler = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

/** A folder for recordings that does not exist yet; it is taken away when the test ends. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "recordings-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, "calls");
}

/** A server that does as it likes. @returns its base address */
export async function serve(handle: Handler): Promise<string> {
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    handle(request, response, Buffer.concat(pieces));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

/** An emulator that records what a server answers. */
export function recordFrom(
  baseURL: string,
  dir: string,
  { upstream, ...options }: Omit<EmulatorOptions, "upstream"> & { upstream?: Partial<UpstreamOptions> } = {},
) {
  return startEmulator({
    upstream: { baseURL, apiKey: UPSTREAM_KEY, ...upstream },
    record: { dir },
    ...options,
  });
}

/** Every file of a folder and those in it, by its name. */
export async function readAll(folder: string): Promise<Map<string, Buffer>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return new Map(
    await Promise.all(
      files.map(async (file) => [file.slice(folder.length + 1), await readFile(file)] as const),
    ),
  );
}

/** The only recording of a folder, read. */
export async function onlyRecording(folder: string) {
  const [[, bytes] = [], ...others] = [...(await readAll(folder))].filter(([name]) => name.endsWith(".json"));
  if (!bytes || others.length > 0) throw new Error(`There are ${others.length + 1} recordings.`);
  return JSON.parse(bytes.toString()) as {
    request: Record<string, unknown>;
    response: Record<string, unknown> & { events?: { atMs: number; data?: unknown; text?: string }[] };
    failure?: Record<string, unknown>;
  };
}
