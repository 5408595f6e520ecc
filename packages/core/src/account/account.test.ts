import { describe, expect, it } from "vitest";
import { API_KEY, errorOf, gatewayFor, TRANSPORTS } from "../../test/gateways.js";
import { errorBody, sendJSON, startServer } from "../../test/scripted-server.js";
import {
  APIError,
  AuthenticationError,
  ConfigurationError,
  InvalidRequestError,
  InvalidResponseError,
  NotFoundError,
} from "../index.js";

const SUBSCRIPTION = { object: "billing_subscription", hard_limit_usd: 20 };
const USAGE = { object: "list", total_usage: 500 };
const TOKEN_USAGE = {
  code: true,
  data: { object: "token_usage", total_available: 1_000_000, total_used: 0 },
};

/** A specialised address that knows these paths; a function answers as it likes. */
async function bank(answers: Record<string, unknown>, transport: object, otherwise = 404) {
  const server = await startServer(({ path }, response) => {
    const answer = answers[path.split("?")[0] ?? ""];
    if (typeof answer === "string") response.writeHead(200, { "content-type": "text/html" }).end(answer);
    else if (answer === undefined) sendJSON(response, errorBody("Invalid URL"), otherwise);
    else sendJSON(response, answer);
  });
  const gateway = gatewayFor("http://127.0.0.1:9/v1", {
    ...transport,
    maxRetries: 0,
    endpoints: { specialized: server.url },
  });
  return { server, gateway, paths: () => server.requests.map(({ path }) => path.split("?")[0]) };
}

describe.each(TRANSPORTS)("account.balance over %s", (_name, transport) => {
  it("asks for a subscription and its usage, on the specialised address", async () => {
    const { server, gateway } = await bank(
      { "/v1/dashboard/billing/subscription": SUBSCRIPTION, "/v1/dashboard/billing/usage": USAGE },
      transport,
    );
    expect(await gateway.account.balance()).toEqual({
      unofficial: true,
      currency: "USD",
      remaining: 15,
      granted: 20,
      used: 5,
      source: "billing",
      raw: { subscription: SUBSCRIPTION, usage: USAGE },
    });
    expect(server.requests).toHaveLength(2);
    expect(server.requests[0]).toMatchObject({
      method: "GET",
      headers: { authorization: `Bearer ${API_KEY}` },
    });
    const { searchParams } = new URL(server.requests[1]?.path ?? "", server.origin);
    const [start, end] = ["start_date", "end_date"].map((name) => searchParams.get(name) ?? "");
    expect([start, end].every((day) => /^\d{4}-\d\d-\d\d$/.test(day ?? ""))).toBe(true);
    expect((Date.parse(end ?? "") - Date.parse(start ?? "")) / 86_400_000).toBe(99);
  });

  it.each([
    ["404", undefined],
    ["the page of a console", "<!doctype html><div id=root></div>"],
  ])("asks for the quota of the key where billing answers %s", async (_what, answer) => {
    const { gateway, paths } = await bank(
      { "/v1/dashboard/billing/subscription": answer, "/api/usage/token": TOKEN_USAGE },
      transport,
    );
    expect(await gateway.account.balance()).toMatchObject({ remaining: 2, used: 0, source: "token_usage" });
    expect(paths()).toEqual(["/v1/dashboard/billing/subscription", "/api/usage/token"]);
  });

  it("asks where it is told to, in the units it is told", async () => {
    const { gateway, paths } = await bank(
      {
        "/v1/me/balance": { balance_usd: 4 },
        "/api/usage/mine": TOKEN_USAGE,
        "/v1/plan": SUBSCRIPTION,
        "/v1/spent": USAGE,
      },
      transport,
    );
    expect(await gateway.account.balance({ path: "/me/balance" })).toMatchObject({ source: "user_balance" });
    const quota = { path: "/api/usage/mine", quotaPerUnit: 1_000 };
    expect(await gateway.account.balance(quota)).toMatchObject({ remaining: 1_000 });
    const billing = { path: "/plan", usagePath: "/spent" };
    expect(await gateway.account.balance(billing)).toMatchObject({ remaining: 15 });
    expect(paths()).toEqual(["/v1/me/balance", "/api/usage/mine", "/v1/plan", "/v1/spent"]);
  });

  it("reports errors, with status 200 too, and does not look elsewhere", async () => {
    const { gateway, paths } = await bank(
      { "/v1/dashboard/billing/subscription": errorBody("token expired", "", "new_api_error") },
      transport,
    );
    const error = await errorOf(gateway.account.balance());
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ status: 200, type: "new_api_error" });
    const locked = await bank({}, transport, 401);
    expect(await errorOf(locked.gateway.account.balance())).toBeInstanceOf(AuthenticationError);
    expect([...paths(), ...locked.paths()]).toHaveLength(2);
  });

  it("says that paths are a convention when none is served", async () => {
    const { gateway } = await bank({}, transport);
    const error = await errorOf(gateway.account.balance());
    expect(error).toBeInstanceOf(NotFoundError);
    expect((error as Error).message).toContain("option path");
  });

  it("makes no balance of other JSON", async () => {
    const { gateway } = await bank({ "/v1/x": { ok: true }, "/v1/s": SUBSCRIPTION, "/v1/u": {} }, transport);
    expect(await errorOf(gateway.account.balance({ path: "/x" }))).toBeInstanceOf(InvalidResponseError);
    const billing = gateway.account.balance({ path: "/s", usagePath: "/u" });
    expect(await errorOf(billing)).toBeInstanceOf(InvalidResponseError);
  });
});

describe("account.balance", () => {
  it("needs a specialised address and says which variable sets it", async () => {
    const error = await errorOf(gatewayFor("http://127.0.0.1:9/v1").account.balance());
    expect(error).toBeInstanceOf(ConfigurationError);
    expect((error as Error).message).toContain("MODEL_GATEWAY_SPECIALIZED_BASE_URL");
  });

  it("stays on that address", async () => {
    const { gateway, server } = await bank({}, {});
    for (const path of [
      "https://elsewhere.example/x",
      "//elsewhere.example",
      "/../admin",
      "/api/%2e%2e/admin",
    ]) {
      expect(await errorOf(gateway.account.balance({ path }))).toBeInstanceOf(InvalidRequestError);
    }
    expect(await errorOf(gateway.account.balance({ quotaPerUnit: 0 }))).toBeInstanceOf(ConfigurationError);
    expect(server.requests).toHaveLength(0);
  });
});
