import { inspect } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";
import { API_KEY } from "../../test/gateways.js";
import { ConfigurationError, ModelGateway } from "../index.js";

const baseURL = "https://gateway.example/v1";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

function withoutEnvironment() {
  for (const name of [
    "API_KEY",
    "BASE_URL",
    "CDN_BASE_URL",
    "SPECIALIZED_BASE_URL",
    "SPECIALIZED_CDN_BASE_URL",
  ]) {
    vi.stubEnv(`MODEL_GATEWAY_${name}`, undefined);
  }
}

describe("ModelGateway options", () => {
  it("come from the environment when they are left out", () => {
    vi.stubEnv("MODEL_GATEWAY_API_KEY", API_KEY);
    vi.stubEnv("MODEL_GATEWAY_BASE_URL", `${baseURL}/`);
    expect(new ModelGateway().baseURL).toBe(baseURL);
  });

  it.each([
    [{ baseURL }, /MODEL_GATEWAY_API_KEY/],
    [{ apiKey: API_KEY }, /MODEL_GATEWAY_BASE_URL/],
    [{ apiKey: API_KEY, baseURL, route: "cdn" as const }, /MODEL_GATEWAY_CDN_BASE_URL/],
    [{ apiKey: API_KEY, baseURL: "gateway.example" }, /is not a URL/],
    [{ apiKey: API_KEY, baseURL: "ftp://gateway.example/v1" }, /https:\/\/ or http:\/\//],
    [
      { apiKey: API_KEY, baseURL: `${baseURL}/chat/completions` },
      /full endpoint; leave out \/chat\/completions/,
    ],
    [{ apiKey: API_KEY, baseURL: `${baseURL}/videos/omni-video/` }, /full endpoint/],
    [{ apiKey: API_KEY, baseURL: `${baseURL}?x=1` }, /query/],
    [{ apiKey: API_KEY, baseURL: "https://user:pass@gateway.example/v1" }, /password/],
    [{ apiKey: API_KEY, baseURL, endpoints: { cdn: "x" } }, /endpoints\.cdn/],
    [{ apiKey: "sk-has a space", baseURL }, /characters/],
    [{ apiKey: API_KEY, baseURL, timeout: 0 }, /timeout/],
    [{ apiKey: API_KEY, baseURL, maxRetries: -1 }, /maxRetries/],
    [{ apiKey: API_KEY, baseURL, maxRetries: 1.5 }, /maxRetries/],
    [{ apiKey: API_KEY, baseURL, streamIdleTimeout: Number.NaN }, /streamIdleTimeout/],
    [{ apiKey: API_KEY, baseURL, maxPollsPerSecond: 0 }, /maxPollsPerSecond/],
    [{ apiKey: API_KEY, baseURL, route: "fast" as "cdn" }, /route/],
    [{ apiKey: API_KEY, baseURL, headers: { Authorization: "x" } }, /apiKey/],
    [{ apiKey: API_KEY, baseURL, headers: { "x-a": "b\r\nx-c: d" } }, /x-a/],
  ])("refuse %j", (options, message) => {
    withoutEnvironment();
    let error: unknown;
    try {
      new ModelGateway(options);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ConfigurationError);
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message).not.toContain(API_KEY);
  });

  it("refuse to run in a browser unless told", () => {
    vi.stubGlobal("window", { document: {} });
    vi.stubGlobal("navigator", {});
    const options = { apiKey: API_KEY, baseURL };
    expect(() => new ModelGateway(options)).toThrow(/dangerouslyAllowBrowser/);
    expect(new ModelGateway({ ...options, dangerouslyAllowBrowser: true }).baseURL).toBe(baseURL);
  });

  it("show the key to nobody who prints the client", () => {
    const gateway = new ModelGateway({ apiKey: API_KEY, baseURL });
    expect(inspect(gateway)).toBe(`ModelGateway { baseURL: "${baseURL}" }`);
    const everything = {
      depth: Number.POSITIVE_INFINITY,
      showHidden: true,
      getters: true,
      customInspect: false,
    };
    expect(inspect(gateway, everything)).not.toContain(API_KEY);
    expect(JSON.stringify(gateway)).toBe(JSON.stringify({ baseURL }));
  });

  it("work behind a proxy object", () => {
    const gateway = new Proxy(new ModelGateway({ apiKey: API_KEY, baseURL }), {});
    expect(gateway.isOwnOrigin(`${baseURL}/files/1`)).toBe(true);
    expect(gateway.isOwnOrigin("https://elsewhere.example/1")).toBe(false);
  });
});

describe("a client in a browser", () => {
  it.each([
    ["Mozilla/5.0 (X11; Linux x86_64)", "warn", 1],
    ["Mozilla/5.0 (X11; Linux x86_64)", "off", 0],
    ["Node.js/24", "warn", 0],
    ["Cloudflare-Workers", "warn", 0],
  ] as const)("(%s, %s) says that paid calls are not safe there", (userAgent, logLevel, lines) => {
    vi.stubGlobal("navigator", { userAgent });
    const warn = vi.fn();
    const logger = { debug: warn, info: warn, warn, error: warn };
    new ModelGateway({ apiKey: "sk-abcdefgh", baseURL: "https://gateway.example/v1", logger, logLevel });
    expect(warn).toHaveBeenCalledTimes(lines);
    if (lines > 0) expect(warn.mock.calls[0]?.[0]).toMatch(/sends a request again by itself.*billed twice/);
  });
});
