import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";

const PRIVATE = new BlockList();
for (const [net, prefix] of [
  ...([
    ["0.0.0.0", 8],
    ["10.0.0.0", 8],
    ["100.64.0.0", 10],
    ["127.0.0.0", 8],
    ["169.254.0.0", 16],
  ] as const),
  ...([
    ["172.16.0.0", 12],
    ["192.168.0.0", 16],
    ["198.18.0.0", 15],
    ["224.0.0.0", 3],
  ] as const),
]) {
  PRIVATE.addSubnet(net, prefix, "ipv4");
}
for (const [net, prefix] of [
  ["::", 127],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8],
  ["64:ff9b::", 96],
] as const) {
  PRIVATE.addSubnet(net, prefix, "ipv6");
}

/** Whether a name of a URL stands for an address of this machine or of a private network, also among others. */
export async function isPrivateHost(hostname: string): Promise<boolean> {
  const name = hostname.replace(/^\[|\]$/g, "");
  const addresses = isIP(name) ? [{ address: name }] : await lookup(name, { all: true }).catch(() => []);
  return addresses.some(({ address }) => isPrivateAddress(address));
}

function isPrivateAddress(address: string): boolean {
  // Checked as what it stands for: ::ffff:127.0.0.1.
  return PRIVATE.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}
