import { createRequire } from "node:module";
import * as bullmq from "bullmq";
import { describe, expect, it } from "vitest";
import { backends } from "../../src/bullmq/backends.js";
import { BullMqVideoTaskStore } from "../../src/bullmq.js";

// Without this, the run on BullMQ 5 could be one on BullMQ 6 and nobody would notice.
const { PEERS_INSTALLED_BY: manifest } = process.env;
const require = createRequire(manifest ?? import.meta.url);
const { version }: { version: string } = require("bullmq/package.json");

describe("the BullMQ that these tests run on", () => {
  it("has the version that was asked for", () => {
    const wanted = manifest === undefined ? /^6\./ : `${require(manifest).dependencies.bullmq}`;
    expect(version).toMatch(wanted);
  });

  it("is that of the sources", () => {
    const isSix = version.startsWith("6.");
    expect("createPostgresBackend" in bullmq).toBe(isSix);
    expect(backends.postgres !== undefined).toBe(isSix);
  });

  it("takes a backend when it has some", () => {
    const make = () => new BullMqVideoTaskStore({ connection: {}, backend: () => ({}) });
    if (backends.postgres !== undefined) expect(make).not.toThrow();
    else expect(make).toThrow(/Option backend of BullMqVideoTaskStore needs BullMQ 6/);
  });
});
