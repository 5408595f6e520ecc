import { createRequire } from "node:module";
import * as common from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { describe, expect, it } from "vitest";

// Without this, the run on Nest 11 could be one on Nest 12 and nobody would notice.
describe("the Nest that these tests run on", () => {
  const require = createRequire(import.meta.url);

  it("has the version that was asked for, in every part", () => {
    const major = process.env["NEST_MAJOR"] ?? "12";
    for (const part of ["common", "core", "platform-express", "terminus"]) {
      expect(require(`@nestjs/${part}/package.json`).version.split(".")[0]).toBe(major);
    }
  });

  it("is one and the same for the sources and for Nest itself", () => {
    expect(require("@nestjs/common").Injectable).toBe(common.Injectable);
    expect(require("@nestjs/core").NestFactory).toBe(NestFactory);
  });
});
