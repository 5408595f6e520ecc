import { inspect } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";
import { API_KEY } from "../../test/gateways.js";
import { checkHeaders } from "../checks/check-headers.js";
import { ConfigurationError, ModelGateway, type ModelGatewayOptions } from "../index.js";
import { parseAddress } from "./addresses.js";
import { resolveConfig } from "./config.js";

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
    expect(() => new ModelGateway(options)).toThrow(
      "This is a browser: the API key would be readable by every visitor. Call the gateway from a server, " +
        "or set dangerouslyAllowBrowser: true if the key is the visitor's own.",
    );
    expect(() => new ModelGateway({ ...options, dangerouslyAllowBrowser: false })).toThrow(
      ConfigurationError,
    );
    expect(new ModelGateway({ ...options, dangerouslyAllowBrowser: true }).baseURL).toBe(baseURL);
  });

  it.each([
    [undefined, {}],
    [{}, {}],
    [{ document: {} }, undefined],
  ])("run where there is part of a browser only: a window %j, a navigator %j", (window, navigator) => {
    vi.stubGlobal("window", window);
    vi.stubGlobal("navigator", navigator);
    expect(new ModelGateway({ apiKey: API_KEY, baseURL }).baseURL).toBe(baseURL);
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

describe("options resolved", () => {
  const required = { apiKey: API_KEY, baseURL };
  const general = parseAddress("general", baseURL);

  it("have the defaults that the README promises", () => {
    withoutEnvironment();
    expect(resolveConfig(required)).toEqual({
      apiKey: API_KEY,
      addresses: { general },
      route: "general",
      specializedModels: [],
      maxRetries: 2,
      timeoutMs: undefined,
      deadlineMs: undefined,
      connectTimeoutMs: 10_000,
      retryBudget: 100,
      streamIdleTimeoutMs: 120_000,
      requireFinishReason: true,
      differentialParsing: true,
      retryBillable: false,
      maxConcurrency: Number.POSITIVE_INFINITY,
      hooks: undefined,
      logger: undefined,
      logLevel: "warn",
      maxPollsPerSecond: 20,
      headers: {},
      fetch: undefined,
    });
  });

  it("are what was given, all of them, the smallest values that are allowed among them", () => {
    const given = {
      ...required,
      route: "failover" as const,
      maxRetries: 0,
      retryBudget: 0,
      maxConcurrency: 1,
      requireFinishReason: false,
      differentialParsing: false,
      retryBillable: true,
      hooks: {},
      logger: console,
      logLevel: "debug" as const,
      fetch: async () => new Response(),
    };
    const { headers, apiKey, specializedModels, ...config } = resolveConfig({
      ...given,
      endpoints: { cdn: "https://c.example/v1", specialized: "https://s.example", specializedCdn: "" },
      specializedModels: ["tts", /^tts-/],
      timeout: 1,
      deadline: 2,
      connectTimeout: 3,
      streamIdleTimeout: 0.5,
      maxPollsPerSecond: 0.1,
      headers: { "X-Team": "a", "x-none": undefined },
      dangerouslyAllowBrowser: true,
    } as ModelGatewayOptions);
    const { apiKey: _key, baseURL: _base, ...same } = given;
    expect(config).toEqual({
      ...same,
      addresses: {
        general,
        cdn: parseAddress("cdn", "https://c.example/v1"),
        specialized: parseAddress("specialized", "https://s.example"),
      },
      timeoutMs: 1,
      deadlineMs: 2,
      connectTimeoutMs: 3,
      streamIdleTimeoutMs: 0.5,
      maxPollsPerSecond: 0.1,
    });
    expect(headers).toEqual({ "x-team": "a" });
    expect(specializedModels).toEqual(["tts", /^tts-/]);
    expect(apiKey).toBe(API_KEY);
  });

  it("of a limit that is none are without end", () => {
    const { maxConcurrency, retryBudget } = resolveConfig({
      ...required,
      maxConcurrency: Number.POSITIVE_INFINITY,
      retryBudget: Number.POSITIVE_INFINITY,
    });
    expect([maxConcurrency, retryBudget]).toEqual([Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]);
  });

  it("come from the environment, without blanks around them, where options leave them out", () => {
    withoutEnvironment();
    vi.stubEnv("MODEL_GATEWAY_API_KEY", ` ${API_KEY} `);
    vi.stubEnv("MODEL_GATEWAY_BASE_URL", `${baseURL} `);
    vi.stubEnv("MODEL_GATEWAY_CDN_BASE_URL", "https://c.example/v1");
    vi.stubEnv("MODEL_GATEWAY_SPECIALIZED_BASE_URL", "https://s.example/v1");
    vi.stubEnv("MODEL_GATEWAY_SPECIALIZED_CDN_BASE_URL", " ");
    const { apiKey, addresses } = resolveConfig({ endpoints: { cdn: "https://own.example/v1" } });
    expect(apiKey).toBe(API_KEY);
    expect(addresses).toEqual({
      general,
      cdn: parseAddress("cdn", "https://own.example/v1"),
      specialized: parseAddress("specialized", "https://s.example/v1"),
    });
  });

  it("need no environment: other runtimes have no process", () => {
    vi.stubGlobal("process", undefined);
    expect(resolveConfig(required).addresses).toEqual({ general });
    vi.stubGlobal("process", {});
    expect(() => resolveConfig({ apiKey: API_KEY })).toThrow("The general base address is missing");
  });

  it("take the key without blanks around it, or the function that gives it", () => {
    expect(resolveConfig({ ...required, apiKey: ` ${API_KEY}\n` }).apiKey).toBe(API_KEY);
    const source = () => API_KEY;
    expect(resolveConfig({ ...required, apiKey: source }).apiKey).toBe(source);
  });

  it("keep their own list of models: the caller's may change", () => {
    const specializedModels = ["tts"];
    const config = resolveConfig({ ...required, specializedModels });
    specializedModels.push("other");
    expect(config.specializedModels).toEqual(["tts"]);
  });

  it.each<[object, string, string]>([
    [
      { apiKey: " " },
      "apiKey",
      "The API key is missing: set the environment variable MODEL_GATEWAY_API_KEY or the option apiKey.",
    ],
    [{ apiKey: "sk-ключ" }, "apiKey", "characters that no key has"],
    [{ apiKey: "sk-a\u0000" }, "apiKey", "characters that no key has"],
    [{ route: "fast" }, "route", "must be one of general, cdn, failover, and not fast."],
    [{ specializedModels: "tts" }, "specializedModels", "must be an array of model ids and RegExps."],
    [{ specializedModels: ["tts", 1] }, "specializedModels", "must be an array of model ids and RegExps."],
    [{ maxRetries: -1 }, "maxRetries", "Option maxRetries must be a whole number from 0, and not -1."],
    [{ maxRetries: "2" }, "maxRetries", "must be a whole number from 0, and not 2."],
    [{ maxRetries: Number.POSITIVE_INFINITY }, "maxRetries", "and not Infinity."],
    [{ retryBudget: -1 }, "retryBudget", "Option retryBudget must be a whole number from 0, and not -1."],
    [{ maxConcurrency: 0 }, "maxConcurrency", "Option maxConcurrency must be at least 1."],
    [{ maxConcurrency: 1.5 }, "maxConcurrency", "Option maxConcurrency must be a whole number"],
    [{ timeout: 0 }, "timeout", "Option timeout must be a number of milliseconds above 0, and not 0."],
    [{ timeout: "5" }, "timeout", "must be a number of milliseconds above 0, and not 5."],
    [{ deadline: -1 }, "deadline", "Option deadline must be a number of milliseconds"],
    [{ connectTimeout: 0 }, "connectTimeout", "Option connectTimeout must be a number of milliseconds"],
    [
      { streamIdleTimeout: Number.NaN },
      "streamIdleTimeout",
      "Option streamIdleTimeout must be a number of mill",
    ],
    [
      { maxPollsPerSecond: 0 },
      "maxPollsPerSecond",
      "Option maxPollsPerSecond must be a number above 0, and not 0.",
    ],
    [{ maxPollsPerSecond: "9" }, "maxPollsPerSecond", "must be a number above 0, and not 9."],
    [
      { logLevel: "loud" },
      "logLevel",
      "Option logLevel must be debug, info, warn, error or off, and not loud.",
    ],
    [{ unknown: 1 }, "unknown", 'Option "unknown" of new ModelGateway() does not exist'],
    [{ endpoints: { general: "x" } }, "general", 'Option "general" of endpoints does not exist'],
  ])("refuse %j: %s", (wrong, option, message) => {
    withoutEnvironment();
    const refused = () => resolveConfig({ ...required, ...wrong } as ModelGatewayOptions);
    expect(refused).toThrow(expect.objectContaining({ kind: "configuration", option }));
    expect(refused).toThrow(message);
  });
});

describe("headers", () => {
  it("get lower-case names, and lose values that are not set", () => {
    expect(
      checkHeaders({ "X-A!#$%&'*+.^_`|~9": "1", "x-tab": "a\tb", "x-b": undefined, "x-c": null as never }),
    ).toEqual({ "x-a!#$%&'*+.^_`|~9": "1", "x-tab": "a\tb" });
    expect(checkHeaders(undefined)).toEqual({});
  });

  it.each([
    ["", "x"],
    ["x a", "x"],
    ["x-ä", "x"],
    ["x:", "x"],
    [":x", "x"],
    ["x-a", "a\rb"],
    ["x-a", "a\nb"],
    ["x-a", "a\0b"],
  ])("that HTTP does not allow are refused: nobody smuggles one in (%j: %j)", (name, value) => {
    const message = `The header ${JSON.stringify(name)} has a name or value that HTTP does not allow.`;
    expect(() => checkHeaders({ [name]: value })).toThrow(
      expect.objectContaining({ message, option: "headers" }),
    );
  });

  it.each(["Authorization", "authorization", "AUTHORIZATION"])("do not hold a key: %s is refused", (name) => {
    expect(() => checkHeaders({ [name]: "Bearer x" })).toThrow(
      expect.objectContaining({
        message: "The authorization header is made from the key: use the option apiKey.",
        option: "headers",
      }),
    );
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
