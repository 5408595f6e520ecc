import { selectTransport } from "#transport";
import { type GatewayConfig, type ModelGatewayOptions, resolveConfig } from "../config/config.js";
import { isBrowserRuntime } from "../transport/fetch-transport.js";
import type { Transport } from "../transport/transport.js";
import { createSender, type Sender } from "./sender.js";

const BROWSER_WARNING =
  "Model Gateway: this is a browser, which sends a request again by itself when a kept connection breaks. A paid image, " +
  "speech or video may be billed twice without anybody noticing: make paid calls on a server.";

/** What resources are made of. */
export interface ConnectionParts {
  config: GatewayConfig;
  transport: Transport;
  sender: Sender;
  /** Where the key may go. */
  ownOrigins: ReadonlySet<string>;
  /** The same object for connections that differ in their key only. */
  family: object;
}

type Use = <T>(make: (parts: ConnectionParts) => T) => T;

/** Known to every copy of this package: entries of CommonJS do not share their code. */
const USE = Symbol.for("@model-gateway/core.connection");

/**
 * The way to a gateway: addresses, key, limits, and the places and pauses that its calls share. Made once, for any number of
 * resources: `createChat(connection)`, `createImages(connection)`. `new ModelGateway()` is all of them on one connection.
 *
 * @throws ConfigurationError when the key or the address is missing or unusable
 */
export class Connection {
  /** General base address, without a trailing slash. */
  readonly baseURL: string;

  constructor(options: ModelGatewayOptions = {}) {
    const config = resolveConfig(options);
    const transport = selectTransport(config.fetch);
    const sender = createSender(config, transport);
    const ownOrigins = new Set(Object.values(config.addresses).map(({ origin }) => origin));
    const { general, cdn } = config.addresses;
    this.baseURL = (general ?? cdn)?.baseURL ?? "";
    if (isBrowserRuntime()) sender.warn(BROWSER_WARNING);
    hideParts(this, { config, transport, sender, ownOrigins, family: {} });
  }

  /** Whether a URL lies on one of the gateway's base addresses, where downloads send the key along. */
  isOwnOrigin(url: string | URL): boolean {
    const { origin } = new URL(url, this.baseURL);
    return onConnection(this, ({ ownOrigins }) => ownOrigins.has(origin));
  }
}

/** The key lives in this closure only: printing the connection cannot show it. */
export function hideParts(connection: Connection, parts: ConnectionParts): void {
  const use: Use = (make) => make(parts);
  Object.defineProperty(connection, USE, { value: use });
}

/** Makes a resource of a connection, or of the options of one that it has to itself. */
export function onConnection<T>(
  connection: Connection | ModelGatewayOptions | undefined,
  make: (parts: ConnectionParts) => T,
): T {
  const given = connection as { [USE]?: Use } | undefined;
  const use = given?.[USE] ?? (new Connection(connection as ModelGatewayOptions) as { [USE]?: Use })[USE];
  return (use as Use)(make);
}
