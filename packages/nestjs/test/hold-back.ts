/**
 * A `fetch` that keeps the first answer to a method to itself until it is let go. By then the gateway has done
 * what it was asked for, and the application does not know yet.
 */
export function holdBack(method: "GET" | "POST") {
  let tellArrival: () => void = () => {};
  let release: () => void = () => {};
  const arrived = new Promise<void>((resolve) => {
    tellArrival = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await globalThis.fetch(input, init);
    if (init?.method === method) {
      tellArrival();
      await released;
    }
    return response;
  };
  return { fetch, arrived, release };
}
