import { createHmac, timingSafeEqual } from "node:crypto";
import { ConfigurationError, InvalidRequestError } from "@model-gateway/core";
import { callbackPath } from "./callback-path.js";

/** How the gateway reaches this application when a video changes. */
export interface CallbackOptions {
  /**
   * Where the application is reached from outside, with its global prefix if it has one: `https://example.com/api`.
   * Plain HTTP is taken for loopback only, since whoever reads an address could use it.
   */
  publicURL: string;
  /** Signs the addresses; at least 32 characters. Either this or `secrets`. */
  secret?: string;
  /** For rotation: the first one signs, all are accepted. */
  secrets?: readonly string[];
  /** Path of the controller. Default `model-gateway/callbacks`. With `forRootAsync`: `callbackPath` beside the factory. */
  path?: string;
  /** How long an address is good for, in milliseconds. Default: the time-out of the task and a day. */
  expiresInMs?: number;
}

/** Default of `callback.path`. */
export const DEFAULT_CALLBACK_PATH = "model-gateway/callbacks";

const MIN_SECRET_LENGTH = 32;
const ESCAPE = "~";
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const DAY_MS = 86_400_000;
/** `execution_expires_after` of a task that names none, in seconds (API description, POST /videos). */
const DEFAULT_TASK_EXPIRY_S = 172_800;

/**
 * Makes and checks the addresses that the gateway calls back. Callbacks are unsigned, so the address itself is the
 * proof: it holds an HMAC over our own key of the task, which is known before the task has an id.
 */
export class CallbackURLs {
  private readonly base: string;
  private readonly secrets: readonly string[];
  private readonly expiresInMs: number | undefined;

  /**
   * @param path where the controller is
   * @throws ConfigurationError that names the option
   */
  constructor(
    private readonly instance: string,
    path: string,
    { publicURL, secret, secrets = [], expiresInMs }: CallbackOptions,
  ) {
    const all = secret === undefined ? secrets : [secret, ...secrets];
    if (all.length === 0) throw new ConfigurationError("Option callback needs secret or secrets.");
    for (const one of all) {
      if (typeof one === "string" && one.length >= MIN_SECRET_LENGTH) continue;
      throw new ConfigurationError(
        `Each secret of the option callback must be text of at least ${MIN_SECRET_LENGTH} characters.`,
      );
    }
    this.secrets = all;
    this.expiresInMs = expiresInMs;
    this.base = `${checkPublicURL(publicURL)}/${callbackPath(path, instance)}`;
  }

  /**
   * The address for a submission. Good for anybody who knows it: keep it out of logs.
   *
   * @param taskExpiryS the task's own time-out in seconds
   * @throws InvalidRequestError for a key that no address can hold
   */
  sign(key: string, taskExpiryS = DEFAULT_TASK_EXPIRY_S): string {
    const expires = String(Math.round(Date.now() + (this.expiresInMs ?? taskExpiryS * 1_000 + DAY_MS)));
    const mac = this.mac(this.secrets[0] ?? "", key, expires).toString("base64url");
    return `${this.base}/${segmentOf(key)}/${expires}/${mac}`;
  }

  /** The key that a segment of the path stands for, as the platform has decoded it. */
  keyOf(segment: string): string {
    return segment.startsWith(ESCAPE) ? segment.slice(ESCAPE.length) : segment;
  }

  /** Whether we made this address and it is still good. Takes the same time whatever is wrong with it. */
  verify(key: string, expires: string, mac: string): boolean {
    const given = Buffer.from(mac, "base64url");
    let known = false;
    for (const secret of this.secrets) {
      const right = this.mac(secret, key, expires);
      const same = timingSafeEqual(right, given.length === right.length ? given : Buffer.alloc(right.length));
      known = (same && given.length === right.length) || known;
    }
    return known && Number(expires) > Date.now();
  }

  private mac(secret: string, key: string, expires: string): Buffer {
    return createHmac("sha256", secret)
      .update(JSON.stringify(["v1", this.instance, key, expires]))
      .digest();
  }
}

/** Segments of dots are resolved away on their way, also when they are encoded; a sign before them keeps them. */
function segmentOf(key: string): string {
  try {
    return `${/^(\.+$|~)/.test(key) ? ESCAPE : ""}${encodeURIComponent(key)}`;
  } catch {
    const message = "must be text that an address can hold: it ends or begins in the middle of a character";
    throw new InvalidRequestError([{ field: "key", message, value: key }]);
  }
}

function checkPublicURL(publicURL: string): string {
  const url = URL.canParse(publicURL) ? new URL(publicURL) : undefined;
  const safe = url?.protocol === "https:" || (url?.protocol === "http:" && LOOPBACK.test(url.hostname));
  if (url === undefined || !safe || url.search !== "" || url.hash !== "" || url.username !== "") {
    throw new ConfigurationError(
      "Option callback.publicURL must be an https address without query, such as https://example.com/api, and " +
        "lead to this application from outside.",
    );
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}
