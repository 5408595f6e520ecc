/** One way of using the gateway. Each runs in a fresh process. */
export interface BenchClient {
  chat?(prompt: string): Promise<unknown>;
  /** @returns the number of characters that came, so that nothing is skipped */
  stream?(prompt: string): Promise<number>;
  embed?(inputs: string[]): Promise<unknown>;
}

/** Makes a client for a base address that ends in `/v1`. */
export type ClientFactory = (baseURL: string) => BenchClient | Promise<BenchClient>;
