import { describe, expect, it } from "vitest";
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
