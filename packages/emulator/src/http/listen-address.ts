import { isIP } from "node:net";

/** Addresses that stand for all of a machine, and the one by which it reaches itself then. */
const EVERYWHERE: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/** The origin of a server that listens on an address, for programs of the same machine. */
export function originAt(host: string, port: number): string {
  const name = EVERYWHERE[host] ?? host;
  return `http://${isIP(name) === 6 ? `[${name}]` : name}:${port}`;
}

/** Whether other machines reach a server that listens there. */
export function isOpenToOthers(host: string): boolean {
  return !(host === "localhost" || host === "::1" || host.startsWith("127."));
}

/** @throws TypeError unless it is an origin such as `http://emulator:4010` */
export function requireOrigin(option: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isOrigin = url && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href;
  if (!isOrigin) {
    throw new TypeError(
      `${option} must be an address without a path, such as http://emulator:4010 (got ${text}).`,
    );
  }
  return url.origin;
}
