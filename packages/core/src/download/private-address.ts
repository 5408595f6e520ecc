const PRIVATE_NAMES = /^(localhost|.*\.(localhost|local|internal|home\.arpa))$/;

/**
 * Whether a host name is, or by its form can only be, an address inside a private network. Names that public
 * DNS resolves to a private address are not seen here: that needs the resolver of the runtime.
 */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, "");
  if (host.startsWith("[")) return isPrivateIPv6(host.slice(1, -1));
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return isPrivateIPv4(host.split(".").map(Number));
  // A name without a dot is a machine of the local network.
  return !host.includes(".") || PRIVATE_NAMES.test(host);
}

function isPrivateIPv4([a = 0, b = 0, c = 0]: number[]): boolean {
  return (
    a === 0 ||
    a === 10 ||
    a === 127 ||
    a >= 224 ||
    (a === 100 && b >= 64 && b <= 127) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b <= 31) ||
    (a === 192 && b === 168) ||
    (a === 192 && b === 0 && (c === 0 || c === 2)) ||
    (a === 198 && (b === 18 || b === 19)) ||
    (a === 198 && b === 51 && c === 100) ||
    (a === 203 && b === 0 && c === 113)
  );
}

/** `URL` writes every IPv6 address in its shortest form, an embedded IPv4 address as two groups of digits. */
function isPrivateIPv6(address: string): boolean {
  const groups = expandIPv6(address);
  const [first = 0] = groups;
  const leadingZeros = groups.slice(0, 5).every((group) => group === 0);
  if (leadingZeros && (groups[5] === 0 || groups[5] === 0xffff)) {
    const [high = 0, low = 0] = groups.slice(6);
    return isPrivateIPv4([high >> 8, high & 255, low >> 8, low & 255]);
  }
  const isUniqueLocal = (first & 0xfe00) === 0xfc00;
  // Site-local addresses, fec0::/10, are out of use and routed inside of networks all the same.
  const isLinkLocal = (first & 0xff80) === 0xfe80;
  const isMulticast = (first & 0xff00) === 0xff00;
  // 64:ff9b::/96, 2002::/16 and 2001::/32 carry an IPv4 address of anybody's choice.
  const isTranslated =
    (first === 0x64 && groups[1] === 0xff9b) || first === 0x2002 || (first === 0x2001 && groups[1] === 0);
  return isUniqueLocal || isLinkLocal || isMulticast || isTranslated;
}

function expandIPv6(address: string): number[] {
  const [head = "", tail] = address.split("::");
  const read = (part: string) =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  const left = read(head);
  const right = tail === undefined ? [] : read(tail);
  return [...left, ...new Array<number>(Math.max(0, 8 - left.length - right.length)).fill(0), ...right];
}
