import { builtin } from "../transport/decode-content.js";

interface DNS {
  lookup(
    host: string,
    options: { all: true },
    done: (error: unknown, addresses: Array<{ address: string }>) => void,
  ): void;
}

/** The addresses that a host name leads to on this machine, by Node's own resolver; an address leads to itself. */
export function resolveHost(hostname: string): Promise<string[]> {
  const host = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  return new Promise((resolve, reject) => {
    (builtin("dns") as DNS).lookup(host, { all: true }, (error, addresses) => {
      if (error) reject(error);
      else resolve(addresses.map(({ address }) => address));
    });
  });
}
