import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEmulator, type Emulator, type ProfileName } from "../index.js";
import { bearer } from "../testing/start-emulator.js";
import { NATIVE_PATHS } from "./native-paths.js";

const PROFILES: ProfileName[] = ["spec", "tolerant", "ark", "kling", "bailian", "newapi"];
const headers = { ...bearer("sk-emulator"), "content-type": "application/json" };

/** Every path of an upstream, with the method it takes and whose it is. */
const PATHS = Object.entries(NATIVE_PATHS).flatMap(([owner, { base, routes }]) => [
  ...(base === undefined ? [] : [{ owner, method: "GET", path: `${base}/models` }]),
  ...routes.map(({ method, path }) => ({ owner, method, path: path.replace(":task_id", "123") })),
]);
/** What the API itself has, too, whatever the profile. */
const DESCRIBED = [
  ...[
    "GET /v1/videos/123",
    "POST /v1/videos",
    "POST /v1/videos/image2video",
    "GET /v1/videos/image2video",
    "GET /v1/videos/omni-video",
  ],
  // Ids of tasks as far as the API knows.
  "GET /v1/videos/text2video",
];

async function answerOf(emulator: Emulator, method: string, path: string): Promise<[number, string]> {
  const init = { method, headers, ...(method === "POST" && { body: "{}" }) };
  const response = await emulator.fetch(new URL(path, emulator.url), init);
  return [response.status, await response.text()];
}

describe.each(PROFILES)("the profile %s", (profile) => {
  const emulator = createEmulator({ profile });

  it.each(PATHS)("serves $method $path of $owner when it is its own, and 404 otherwise", async (native) => {
    const [status, text] = await answerOf(emulator, native.method, native.path);
    const isServed = !text.includes(`There is no ${native.method} `);
    if (native.owner === profile) expect([isServed, status]).toEqual([true, expect.any(Number)]);
    else if (!DESCRIBED.includes(`${native.method} ${native.path}`))
      expect([isServed, status]).toEqual([false, 404]);
  });
});

describe("paths that are nearly one of an upstream's", () => {
  it.each<[ProfileName, string, string]>([
    ["bailian", "GET", "/api/v1/tasks//"],
    ["bailian", "GET", "/api/v1/tasks/123/"],
    ["bailian", "GET", "/api/v1/tasks/123/cancel"],
    ["bailian", "DELETE", "/api/v1/tasks/123"],
    ["bailian", "GET", "/API/V1/tasks/123"],
    ["bailian", "GET", "/api%2Fv1/tasks/123"],
    ["bailian", "GET", "/v1/api/v1/tasks/123"],
    ["bailian", "GET", "/compatible-mode/v1/videos/123/"],
    ["bailian", "PUT", "/api/v1/tasks/123/cancel"],
    ["ark", "DELETE", "/api/v3/contents/generations/tasks"],
    ["ark", "DELETE", "/api/v3/contents/generations/tasks/"],
    ["ark", "GET", "/api/v3/contents/generations/tasks/"],
    ["ark", "GET", "/api/v3/contents/generations/tasks/1/2"],
    ["ark", "DELETE", "/v1/contents/generations/tasks/123"],
    ["kling", "DELETE", "/v1/videos/text2video/123"],
    ["kling", "POST", "/v1/videos/text2video/"],
    ["kling", "GET", "/cdn/v1/videos/text2video/123"],
    ["newapi", "GET", "/v1/video/generations"],
    ["newapi", "GET", "/kling/v1/videos/omni-video/123"],
    ["newapi", "GET", "/v1/videos/123/content/"],
  ])("%s: %s %s is none", async (profile, method, path) => {
    const [status, text] = await answerOf(createEmulator({ profile }), method, path);
    expect([status, text]).toEqual([404, expect.stringContaining(`There is no ${method} `)]);
  });

  it.each<[ProfileName, string, number]>([
    ["ark", "/api/v3/contents/generations/tasks/", 404],
    ["bailian", "/api/v1/tasks/", 200],
    ["kling", "/v1/videos/text2video/", 404],
    ["newapi", "/v1/video/generations/", 400],
  ])("%s: ids are decoded once, whatever is in them", async (profile, prefix, status) => {
    const emulator = createEmulator({ profile });
    for (const id of ["a%2Fb", "%2541", "%zz", "%00", "..%2f..%2fmodels", "%E4%BD%A0", "a".repeat(4_000)]) {
      const [found, text] = await answerOf(emulator, "GET", prefix + id);
      expect([found, text.includes("There is no GET")], id).toEqual([status, false]);
    }
  });

  it("HEAD is answered nowhere as GET is", async () => {
    const emulator = createEmulator({ profile: "bailian" });
    expect((await answerOf(emulator, "HEAD", "/api/v1/tasks"))[0]).toBe(404);
  });
});

describe("pages of other origins", () => {
  it.each<[ProfileName, string]>([
    ["ark", "/api/v3/models"],
    ["ark", "/api/v3/contents/generations/tasks"],
    ["bailian", "/api/v1/tasks/123"],
    ["kling", "/v1/videos/text2video"],
  ])("may call the paths of %s where they may call the API: %s", async (profile, path) => {
    const emulator = createEmulator({ profile, cors: ["https://app.test"] });
    const response = await emulator.fetch(new URL(path, emulator.url), {
      headers: { ...headers, origin: "https://app.test" },
    });
    expect(response.headers.get("access-control-allow-origin")).toBe("https://app.test");
  });
});

it("pages of other origins may delete where an upstream's clients may", async () => {
  const emulator = createEmulator({ profile: "ark", cors: ["https://app.test"] });
  const url = new URL("/api/v3/contents/generations/tasks/123", emulator.url);
  const asked = { origin: "https://app.test", "access-control-request-method": "DELETE" };
  const response = await emulator.fetch(url, { method: "OPTIONS", headers: asked });
  expect(response.status).toBe(204);
  expect(response.headers.get("access-control-allow-methods")).toContain("DELETE");
});

describe("what is asked of an upstream's own base address", () => {
  const chat = { model: "local-chat", messages: [{ role: "user", content: "a" }] };

  it.each<[ProfileName, string]>([
    ["ark", "/api/v3"],
    ["bailian", "/compatible-mode/v1"],
  ])("%s: faults, scripts and the journal know it by the path of the API", async (profile, base) => {
    const emulator = createEmulator({ profile });
    const post = (body: object) =>
      emulator.fetch(new URL(`${base}/chat/completions`, emulator.url), {
        ...{ method: "POST", headers, body: JSON.stringify(body) },
      });
    emulator.faults.add({ kind: "status", status: 418, path: "/chat/completions", times: 1 });
    expect((await post(chat)).status).toBe(418);
    emulator.replies.add({ when: { path: "/chat/completions" }, events: [{ choices: [] }], times: 1 });
    expect(await (await post({ ...chat, stream: true })).text()).toContain("[DONE]");
    expect((await post(chat)).status).toBe(200);
    expect(emulator.journal.list({ path: "/chat/completions" })).toMatchObject(Array(3).fill({ base: null }));
  });

  it("is sent on as the API has it, and what only the upstream's clients know is not", async () => {
    const asked: string[] = [];
    const behind = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.writeHead(200, { "content-type": "application/json" }).end('{"from":"behind"}');
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => behind.once("listening", resolve));
    onTestFinished(() => {
      behind.close();
      behind.closeAllConnections();
    });
    const baseURL = `http://127.0.0.1:${(behind.address() as AddressInfo).port}/v1`;
    const answer = async (profile: ProfileName, method: string, path: string, body?: object) => {
      const emulator = createEmulator({ profile, upstream: { baseURL } });
      const response = await emulator.fetch(new URL(path, emulator.url), {
        ...{ method, headers: { ...headers, "x-dashscope-async": "enable" } },
        ...(body && { body: JSON.stringify(body) }),
      });
      return JSON.stringify(await response.json()).includes("behind");
    };
    const video = { model: "theirs", prompt: "a", input: { prompt: "a" } };
    expect(await answer("bailian", "POST", "/compatible-mode/v1/chat/completions", { model: "theirs" })).toBe(
      true,
    );
    expect(await answer("newapi", "POST", "/v1/videos", video)).toBe(true);
    expect(await answer("newapi", "GET", "/v1/videos/theirs")).toBe(true);
    expect(await answer("newapi", "POST", "/v1/video/generations", video)).toBe(false);
    expect(await answer("bailian", "GET", "/api/v1/tasks/theirs")).toBe(false);
    const create = "/api/v1/services/aigc/video-generation/video-synthesis";
    expect(await answer("bailian", "POST", create, video)).toBe(false);
    expect(await answer("ark", "DELETE", "/api/v3/contents/generations/tasks/theirs")).toBe(false);
    expect(asked).toEqual(["POST /v1/chat/completions", "POST /v1/videos", "GET /v1/videos/theirs"]);
  });
});
