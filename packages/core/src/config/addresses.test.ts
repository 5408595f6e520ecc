import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../errors/errors.js";
import type { AddressKind } from "../transport/address-kind.js";
import { ADDRESS_SOURCES, AddressHealth, addressesFor, COOL_DOWN_MS, parseAddress } from "./addresses.js";

const KINDS = Object.keys(ADDRESS_SOURCES) as AddressKind[];
const address = (kind: AddressKind) => parseAddress(kind, `https://${kind.toLowerCase()}.example/v1`);
const ALL = Object.fromEntries(KINDS.map((kind) => [kind, address(kind)]));

function refusal(run: () => unknown): ConfigurationError {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    return error as ConfigurationError;
  }
  throw new Error("Expected a refusal.");
}

describe("a base address", () => {
  it.each([
    ["https://gateway.example/v1", "https://gateway.example", "/v1"],
    ["  http://gateway.example:8080/v1//  ", "http://gateway.example:8080", "/v1"],
    ["\u00a0https://gateway.example/v1\u00a0", "https://gateway.example", "/v1"],
    ["https://gateway.example/", "https://gateway.example", ""],
    ["https://gateway.example/a//b/v1", "https://gateway.example", "/a//b/v1"],
    ["https://gateway.example/models/v1", "https://gateway.example", "/models/v1"],
    ["https://gateway.example/chat/completions/v1", "https://gateway.example", "/chat/completions/v1"],
    ["https://gateway.example/my-models", "https://gateway.example", "/my-models"],
  ])("%j is taken apart once, without slashes at its end", (given, origin, basePath) => {
    expect(parseAddress("general", given)).toEqual({
      kind: "general",
      origin,
      basePath,
      baseURL: origin + basePath,
    });
  });

  it.each([
    ["chat", "/chat"],
    ["chat/completions", "/chat/completions"],
    ["embeddings", "/embeddings"],
    ["models/", "/models"],
    ["audio/speech", "/audio/speech"],
    ["images/generations", "/images/generations"],
    ["images/edits", "/images/edits"],
    ["videos", "/videos"],
    ["videos/image2video", "/videos/image2video"],
    ["videos/omni-video", "/videos/omni-video"],
    ["moderations", "/moderations"],
  ])("that is the endpoint %s is refused by its name", (endpoint, named) => {
    expect(
      refusal(() => parseAddress("general", `https://gateway.example/v1/${endpoint}`)).message,
    ).toContain(`is a full endpoint; leave out ${named}. `);
  });

  it.each([
    ["gateway", "is not a URL"],
    ["ws://gateway.example/v1", "must start with https:// or http://"],
    ["https://user@gateway.example/v1", "must not contain a user name or password"],
    ["https://:secret@gateway.example/v1", "must not contain a user name or password"],
    ["https://gateway.example/v1?x=1", "must not contain a query or a fragment"],
    ["https://gateway.example/v1#x", "must not contain a query or a fragment"],
  ])("%j is refused with what is wrong, and never repeated: it may hold a secret", (given, problem) => {
    expect(refusal(() => parseAddress("cdn", given))).toMatchObject({
      option: "endpoints.cdn",
      message:
        `The cdn base address (option endpoints.cdn, variable MODEL_GATEWAY_CDN_BASE_URL) ${problem}. ` +
        "A base address looks like https://gateway.example/v1.",
    });
  });
});

describe("the addresses of a call", () => {
  it.each([
    ["general", {}, ["general"]],
    ["cdn", {}, ["cdn"]],
    ["failover", {}, ["general", "cdn"]],
    ["general", { specialized: true }, ["specialized"]],
    ["cdn", { specialized: true }, ["specializedCdn"]],
    ["failover", { specialized: true }, ["specialized", "specializedCdn"]],
    ["failover", { address: "specializedCdn" }, ["specializedCdn"]],
  ] as const)("on route %s with %j are %j", (route, call, kinds) => {
    expect(addressesFor(ALL, route, call).map(({ kind }) => kind)).toEqual(kinds);
  });

  it("fall back to the route where the one of the task is not configured", () => {
    const addresses = { general: address("general") };
    expect(addressesFor(addresses, "general", { address: "cdn" })).toEqual([addresses.general]);
  });

  it("are one where failover has one only", () => {
    const addresses = { cdn: address("cdn") };
    expect(addressesFor(addresses, "failover", {})).toEqual([addresses.cdn]);
  });

  it.each([
    ["general", false, "general", "MODEL_GATEWAY_BASE_URL", "baseURL"],
    ["cdn", false, "cdn", "MODEL_GATEWAY_CDN_BASE_URL", "endpoints.cdn"],
    ["failover", true, "specialized", "MODEL_GATEWAY_SPECIALIZED_BASE_URL", "endpoints.specialized"],
    ["cdn", true, "specializedCdn", "MODEL_GATEWAY_SPECIALIZED_CDN_BASE_URL", "endpoints.specializedCdn"],
  ] as const)(
    "on route %s (specialised: %s) say which is missing, and what sets it",
    (route, specialized, kind, variable, option) => {
      expect(refusal(() => addressesFor({}, route, { specialized }))).toMatchObject({
        option,
        message: `The ${kind} base address is missing: set the environment variable ${variable} or the option ${option}.`,
      });
    },
  );
});

describe("the health of addresses", () => {
  const general = address("general");
  const cdn = address("cdn");
  const both = [general, cdn];

  it("prefers the first, leaves one that is down alone for the cool-down, and comes back", () => {
    const health = new AddressHealth();
    expect(health.choose(both, 0)).toBe(general);
    health.markDown("general", 1_000);
    expect(health.choose(both, 1_000)).toBe(cdn);
    expect(health.choose(both, 1_000 + COOL_DOWN_MS - 1)).toBe(cdn);
    expect(health.choose(both, 1_000 + COOL_DOWN_MS)).toBe(general);
  });

  it("takes the one that is up soonest where all are down, the first of equals", () => {
    const health = new AddressHealth();
    health.markDown("general", 10);
    health.markDown("cdn", 5);
    expect(health.choose(both, 20)).toBe(cdn);
    health.markDown("cdn", 10);
    expect(health.choose(both, 20)).toBe(general);
    health.markDown("cdn", 15);
    expect(health.choose(both, 20)).toBe(general);
  });

  it("needs an address", () => {
    expect(() => new AddressHealth().choose([], 0)).toThrow("A call needs at least one address.");
  });
});
