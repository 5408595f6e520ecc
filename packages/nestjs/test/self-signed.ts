import { createSign, generateKeyPairSync } from "node:crypto";

/** Of DER: a tag, a length and what it holds. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}

const SEQUENCE = 0x30;
const ECDSA_SHA256 = der(SEQUENCE, Buffer.from("06082a8648ce3d040302", "hex"));
const COMMON_NAME = Buffer.from("0603550403", "hex");
const ALTERNATIVE_NAME = Buffer.from("0603551d11", "hex");

/** A certificate for 127.0.0.1 that nobody has signed but itself, and its key, as TLS servers take them. */
export function selfSigned(): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const name = der(
    SEQUENCE,
    der(0x31, der(SEQUENCE, COMMON_NAME, der(0x0c, Buffer.from("a server of tests")))),
  );
  const day = (year: number) => der(0x17, Buffer.from(`${year % 100}0101000000Z`));
  const year = new Date().getUTCFullYear();
  const addresses = der(SEQUENCE, der(0x87, Buffer.from([127, 0, 0, 1])));
  const extension = der(SEQUENCE, ALTERNATIVE_NAME, der(0x04, addresses));
  const content = der(
    SEQUENCE,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ECDSA_SHA256,
    name,
    der(SEQUENCE, day(year - 1), day(year + 2)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, der(SEQUENCE, extension)),
  );
  const signature = createSign("sha256").update(content).sign(privateKey);
  const certificate = der(SEQUENCE, content, ECDSA_SHA256, der(0x03, Buffer.from([0]), signature));
  const base64 = certificate.toString("base64").replace(/.{64}/g, "$&\n");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
  };
}
