import { ModelGateway, type ModelGatewayOptions } from "../src/index.js";

export const API_KEY = "sk-test-0123456789abcdef";

/** The two transports that the main entry chooses between; every behaviour must hold on both. */
export const TRANSPORTS: Array<[name: string, options: Pick<ModelGatewayOptions, "fetch">]> = [
  ["dispatch", {}],
  ["fetch", { fetch: (input, init) => fetch(input, init) }],
];

export function gatewayFor(baseURL: string, options: Partial<ModelGatewayOptions> = {}): ModelGateway {
  return new ModelGateway({ apiKey: API_KEY, baseURL, ...options });
}

/** The error a promise rejects with; fails when it does not. */
export async function errorOf(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("Expected a rejection.");
}
