import { describe, expect, it } from "vitest";
import { errorOf, gatewayFor } from "../../test/gateways.js";
import { sendJSON, startServer } from "../../test/scripted-server.js";
import { APIError, ConfigurationError, InvalidResponseError } from "../index.js";
import { priceBook, readGatewayPricing } from "../prices.js";

const TABLE = {
  success: true,
  data: [
    { model_name: "chat", quota_type: 0, model_ratio: 1.25, completion_ratio: 4, cache_ratio: 0.5 },
    { model_name: "writes", quota_type: 0, model_ratio: 1, completion_ratio: 5, create_cache_ratio: 1.25 },
    { model_name: "picture", quota_type: 1, model_ratio: 0, model_price: 0.04, enable_groups: ["vip"] },
    { model_name: "closed", quota_type: 0, model_ratio: 1, enable_groups: ["other"] },
    { model_name: "open", quota_type: 0, model_ratio: 0, enable_groups: ["all"] },
    { model_name: "broken", quota_type: 0, model_ratio: "much" },
    { quota_type: 0, model_ratio: 1 },
    null,
  ],
  group_ratio: { default: 1, vip: 0.5 },
};

async function serving(answer: unknown, status = 200) {
  const server = await startServer((_request, response) => sendJSON(response, answer, status));
  return { server, gateway: gatewayFor(server.url, { maxRetries: 0, prices: priceBook() }) };
}

describe("the price table of a gateway", () => {
  it("is ratios of models, of their completions and of the group", async () => {
    const { server, gateway } = await serving(TABLE);
    const pricing = await readGatewayPricing(gateway, { group: "vip" });
    expect(pricing).toEqual({
      unofficial: true,
      group: "vip",
      groupRatio: 0.5,
      raw: TABLE,
      models: {
        chat: { input: 1.25, output: 5, cachedInput: 0.625, characters: 1.25, videoTokens: 1.25 },
        writes: { input: 1, output: 5, cacheWrite: 1.25, characters: 1, videoTokens: 1 },
        picture: { request: 0.02 },
        open: { input: 0, output: 0, characters: 0, videoTokens: 0 },
      },
    });
    expect(server.requests).toMatchObject([{ method: "GET", path: "/api/pricing" }]);
    const prices = priceBook({ models: pricing.models });
    expect(prices.quote("images.generate", { model: "picture", prompt: "A fox" })?.upper).toBe(0.02);
  });

  it("is read where it is, at the price of a ratio, for a gateway without groups", async () => {
    const { server, gateway } = await serving({ data: TABLE.data });
    const { models, groupRatio } = await readGatewayPricing(gateway, { path: "/api/rates", ratioPrice: 10 });
    expect(groupRatio).toBe(1);
    expect(models["chat"]).toMatchObject({ input: 12.5, output: 50 });
    expect(models).not.toHaveProperty("picture");
    expect(server.requests[0]?.path).toBe("/api/rates");
  });

  it("has no price for a group that it does not know", async () => {
    const { gateway } = await serving(TABLE);
    const error = await errorOf(readGatewayPricing(gateway, { group: "gold" }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect((error as Error).message).toContain("default, vip");
  });

  it.each<[unknown, number, new (...values: never[]) => Error]>([
    [{ data: {} }, 200, InvalidResponseError],
    [[], 200, InvalidResponseError],
    [{ success: false, message: "log in" }, 200, APIError],
    [{ error: { message: "no" } }, 404, APIError],
  ])("is none in %j with %i", async (answer, status, kind) => {
    const { gateway } = await serving(answer, status);
    expect(await errorOf(readGatewayPricing(gateway))).toBeInstanceOf(kind);
  });
});
