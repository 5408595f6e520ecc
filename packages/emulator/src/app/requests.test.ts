import { describe, expect, it } from "vitest";
import { bearer, errorOf, startEmulator } from "../testing/start-emulator.js";

describe("requests", () => {
  it.each([
    ["GET", "/nothing"],
    ["POST", "/models"],
    ["GET", "/chat/completions"],
    ["DELETE", "/videos/task_1"],
    ["PUT", "/embeddings"],
  ])("answer 404 to %s %s", async (method, path) => {
    const { emulator } = await startEmulator();
    const response = await fetch(emulator.url + path, { method, headers: bearer("sk-emulator") });
    expect(await errorOf(response)).toMatchObject({
      status: 404,
      code: "not_found",
      type: "invalid_request_error",
    });
  });

  it("answer 404 to a wrong base address", async () => {
    const { emulator } = await startEmulator();
    const response = await fetch(new URL("/models", emulator.url), { headers: bearer("sk-emulator") });
    expect((await errorOf(response)).message).toContain("Base addresses end in /v1");
  });

  it.each([
    ["{", "application/json", "invalid_json"],
    ["", "application/json", "invalid_json"],
    ["[1]", "application/json", "invalid_parameter"],
    ["a=1", "application/x-www-form-urlencoded", "invalid_content_type"],
  ])("answer 400 to the body %j as %s", async (body, type, code) => {
    const { emulator } = await startEmulator();
    const response = await fetch(`${emulator.url}/chat/completions`, {
      method: "POST",
      headers: { ...bearer("sk-emulator"), "content-type": type },
      body,
    });
    expect(await errorOf(response)).toMatchObject({ status: 400, code });
  });

  it("carry an id on every response, which the journal knows", async () => {
    const { emulator, get } = await startEmulator();
    const responses = [await get("/models"), await get("/models", "sk-wrong"), await get("/nothing")];
    const ids = responses.map((response) => response.headers.get("x-request-id"));
    expect(new Set(ids).size).toBe(3);
    expect(emulator.journal.list().map(({ id }) => id)).toEqual(ids);
  });
});
