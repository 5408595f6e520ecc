import { ConfigurationError } from "../errors/errors.js";
import type { AddressKind } from "../transport/address-kind.js";

/** How calls choose between the direct and the accelerated address. */
export type Route = "general" | "cdn" | "failover";

/** A base address, taken apart once. */
export interface Address {
  kind: AddressKind;
  /** Without a trailing slash. */
  baseURL: string;
  origin: string;
  /** Path of the base, such as `/v1`; requests append to it. */
  basePath: string;
}

/** The four base addresses of the gateway (API description, base addresses). */
export type Addresses = Partial<Record<AddressKind, Address>>;

/** The environment variable and the option that set an address, for error messages. */
export const ADDRESS_SOURCES: Record<AddressKind, { variable: string; option: string }> = {
  general: { variable: "MODEL_GATEWAY_BASE_URL", option: "baseURL" },
  cdn: { variable: "MODEL_GATEWAY_CDN_BASE_URL", option: "endpoints.cdn" },
  specialized: { variable: "MODEL_GATEWAY_SPECIALIZED_BASE_URL", option: "endpoints.specialized" },
  specializedCdn: { variable: "MODEL_GATEWAY_SPECIALIZED_CDN_BASE_URL", option: "endpoints.specializedCdn" },
};

const ENDPOINT_SUFFIX =
  /\/(chat\/completions|chat|embeddings|models|audio\/speech|images\/(generations|edits)|videos(\/image2video|\/omni-video)?|moderations)$/;

/** Reads a base address as the user gave it. Throws a `ConfigurationError` that says what a base looks like. */
export function parseAddress(kind: AddressKind, value: string): Address {
  const { option, variable } = ADDRESS_SOURCES[kind];
  const reject = (problem: string): never => {
    throw new ConfigurationError(
      `The ${kind} base address (option ${option}, variable ${variable}) ${problem}. ` +
        "A base address looks like https://gateway.example/v1.",
      { option },
    );
  };
  let url: URL;
  try {
    url = new URL(value.trim());
  } catch {
    return reject("is not a URL");
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") reject("must start with https:// or http://");
  if (url.username !== "" || url.password !== "") reject("must not contain a user name or password");
  if (url.search !== "" || url.hash !== "") reject("must not contain a query or a fragment");
  const basePath = url.pathname.replace(/\/+$/, "");
  const endpoint = ENDPOINT_SUFFIX.exec(basePath)?.[0];
  if (endpoint !== undefined) reject(`is a full endpoint; leave out ${endpoint}`);
  return { kind, origin: url.origin, basePath, baseURL: url.origin + basePath };
}

/** Which address a call goes to. `failover` lists two, the preferred one first. */
export function addressesFor(
  addresses: Addresses,
  route: Route,
  { specialized = false, address: pinned }: { specialized?: boolean; address?: AddressKind },
): Address[] {
  const pinnedAddress = pinned && addresses[pinned];
  if (pinnedAddress !== undefined) return [pinnedAddress];
  const direct: AddressKind = specialized ? "specialized" : "general";
  const accelerated: AddressKind = specialized ? "specializedCdn" : "cdn";
  if (route === "failover") {
    const found = [addresses[direct], addresses[accelerated]].filter((address) => address !== undefined);
    return found.length > 0 ? found : [requireAddress(addresses, direct)];
  }
  return [requireAddress(addresses, route === "cdn" ? accelerated : direct)];
}

export function requireAddress(addresses: Addresses, kind: AddressKind): Address {
  const address = addresses[kind];
  if (address !== undefined) return address;
  const { variable, option } = ADDRESS_SOURCES[kind];
  throw new ConfigurationError(
    `The ${kind} base address is missing: set the environment variable ${variable} or the option ${option}.`,
    { option },
  );
}

/** An address that could not be reached is left alone for this long, in milliseconds. */
export const COOL_DOWN_MS = 30_000;

/** Remembers which addresses could not be reached. One per client. */
export class AddressHealth {
  readonly #downUntil = new Map<AddressKind, number>();

  /** @param now milliseconds on any steady clock */
  markDown(kind: AddressKind, now: number): void {
    this.#downUntil.set(kind, now + COOL_DOWN_MS);
  }

  /** The first address that is not cooling down, else the one that cools down soonest. */
  choose(candidates: readonly Address[], now: number): Address {
    const [first] = candidates;
    if (first === undefined) throw new TypeError("A call needs at least one address.");
    let best = first;
    for (const candidate of candidates) {
      if (this.#readyAt(candidate) <= now) return candidate;
      if (this.#readyAt(candidate) < this.#readyAt(best)) best = candidate;
    }
    return best;
  }

  #readyAt(address: Address): number {
    return this.#downUntil.get(address.kind) ?? 0;
  }
}
