import { isRecord } from "../json/is-record.js";
import type { ProfileSettings } from "../profiles/profile.js";

/**
 * The `Authorization` header of a request as the keys know it. Clients of Kling sign a token with their secret key for each call;
 * it stands for the access key that issued it. The secret nobody here knows, so the signature is not checked.
 */
export function authorizationOf(request: Request, { tasks }: ProfileSettings): string | null {
  const header = request.headers.get("authorization");
  if (header === null || tasks !== "kling") return header;
  const payload = /^Bearer +[\w-]+\.([\w-]+)\.[\w-]+$/i.exec(header.trim())?.[1];
  const issuer = payload === undefined ? undefined : issuerOf(payload);
  return issuer === undefined ? header : `Bearer ${issuer}`;
}

function issuerOf(payload: string): string | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString());
    const issuer = isRecord(claims) ? claims["iss"] : undefined;
    return typeof issuer === "string" && /^\S+$/.test(issuer) ? issuer : undefined;
  } catch {
    // A key may have dots in it.
    return undefined;
  }
}
