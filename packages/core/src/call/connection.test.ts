import { inspect } from "node:util";
import { describe, expect, it, vi } from "vitest";
import { API_KEY, errorOf, gatewayFor } from "../../test/gateways.js";
import { completion, sendJSON, startServer } from "../../test/scripted-server.js";
import { createAccount } from "../account.js";
import { createAudio } from "../audio.js";
import { createChat } from "../chat.js";
import { createDownloader } from "../download.js";
import { createEmbeddings } from "../embeddings.js";
import { ConfigurationError } from "../errors.js";
import { createImages } from "../images.js";
import { createModels } from "../models.js";
import { createModerations } from "../moderations.js";
import { createVideos } from "../videos.js";
import { Connection } from "./connection.js";

const CHAT = { model: "m", messages: [{ role: "user" as const, content: "hi" }] };
const CREATORS = {
  account: createAccount,
  audio: createAudio,
  chat: createChat,
  embeddings: createEmbeddings,
  images: createImages,
  models: createModels,
  moderations: createModerations,
  videos: createVideos,
};

describe("resources by themselves", () => {
  it.each(Object.entries(CREATORS))("are what the client has: %s", (name, create) => {
    const options = { apiKey: API_KEY, baseURL: "https://gateway.example/v1" };
    const whole = gatewayFor("https://gateway.example")[name as keyof typeof CREATORS];
    expect(create(options)).toBeInstanceOf(whole.constructor);
    expect(create(new Connection(options))).toBeInstanceOf(whole.constructor);
  });

  it.each([...Object.entries(CREATORS), ["download", createDownloader] as const])(
    "name the option that is missing: %s",
    (_name, create) => {
      vi.stubEnv("MODEL_GATEWAY_API_KEY", "");
      expect(() => create({ baseURL: "https://gateway.example/v1" })).toThrow(ConfigurationError);
      expect(() => create()).toThrow(/MODEL_GATEWAY_/);
      vi.unstubAllEnvs();
    },
  );

  it("share the places of their connection, and have their own without one", async () => {
    const server = await startServer((_request, response, count) => {
      if (count > 1) sendJSON(response, { data: [] });
      else setTimeout(() => sendJSON(response, completion("late")), 50);
    });
    const options = { apiKey: API_KEY, baseURL: server.url, maxConcurrency: 1 };
    const connection = new Connection(options);
    const ended: string[] = [];
    const note = (name: string) => () => void ended.push(name);
    await Promise.all([
      createChat(connection).completions.create(CHAT).then(note("chat")),
      createModels(connection).list().then(note("models")),
    ]);
    expect(ended).toEqual(["chat", "models"]);
    expect(server.requests.map(({ path }) => path)).toEqual(["/v1/chat/completions", "/v1/models"]);
    expect(await createModels(options).list()).toEqual([]);
  });

  it("download with the key of their connection, from its own addresses only", async () => {
    const foreign = await startServer((_request, response) => response.end("x"));
    const own = await startServer((_request, response) => response.end("x"));
    const download = createDownloader({ apiKey: API_KEY, baseURL: own.url });
    expect(await (await download(`${own.url}/file`)).bytes()).toHaveLength(1);
    expect(own.requests[0]?.headers["authorization"]).toBe(`Bearer ${API_KEY}`);
    expect(await errorOf(download(`${foreign.url}/file`))).toMatchObject({ kind: "invalid_request" });
    expect(foreign.requests).toEqual([]);
  });
});

it("a connection knows its own addresses, all four of them", () => {
  const connection = new Connection({
    apiKey: API_KEY,
    baseURL: "https://gateway.example/v1",
    endpoints: { cdn: "https://cdn.example/v1", specializedCdn: "https://special.example:8443/v1" },
  });
  const own = [
    "https://gateway.example/file",
    "https://cdn.example",
    "https://special.example:8443/v1",
    "/v1/file",
  ];
  expect(own.filter((url) => !connection.isOwnOrigin(url))).toEqual([]);
  expect(connection.isOwnOrigin(new URL("https://gateway.example/file"))).toBe(true);
  const foreign = [
    "http://gateway.example",
    "https://gateway.example:8443",
    "https://a.gateway.example",
    "//b.example",
  ];
  expect(foreign.filter((url) => connection.isOwnOrigin(url))).toEqual([]);
});

it("a connection shows its key to nobody", () => {
  const connection = new Connection({ apiKey: API_KEY, baseURL: "https://gateway.example/v1" });
  const chat = createChat(connection);
  for (const value of [connection, chat, chat.completions]) {
    expect(inspect(value, { showHidden: true, depth: 20 })).not.toContain(API_KEY);
    expect(JSON.stringify(value)).not.toContain(API_KEY);
  }
  expect(JSON.stringify(connection)).toBe('{"baseURL":"https://gateway.example/v1"}');
});
