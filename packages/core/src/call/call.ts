import { checkHeaders } from "../checks/check-headers.js";
import { checkCount, checkDuration } from "../checks/check-numbers.js";
import { checkOptionNames } from "../checks/check-option-names.js";
import type { Address, Route } from "../config/addresses.js";
import type { AttemptRecord } from "../errors/gateway-error.js";
import type { BodyReader } from "../streams/body-reader.js";
import type { TraceContext } from "../tasks/trace-context.js";
import type { AddressKind } from "../transport/address-kind.js";
import type { EncodedBody } from "../transport/encoded-body.js";
import type { ResponseHeaders } from "../transport/transport.js";
import { redactText } from "./redact.js";
import type { CallCost } from "./retry-policy.js";

/** Options of every call. */
export interface RequestOptions {
  /** Aborts the call, its waits and its stream at once. */
  signal?: AbortSignal;
  /** Overrides the client's `timeout` for this call, in milliseconds. */
  timeout?: number;
  /** Overrides the client's `deadline` for this call, in milliseconds. */
  deadline?: number;
  /** Overrides the client's `connectTimeout` for this call, in milliseconds. */
  connectTimeout?: number;
  /** Overrides the client's `maxRetries` for this call. */
  maxRetries?: number;
  /** Added to the client's headers. */
  headers?: Record<string, string | undefined>;
  /** Overrides the client's `route` for this call. */
  route?: Route;
  /** Sent as `Idempotency-Key` with paid creates, the same over all attempts. Default: a random one per call. */
  idempotencyKey?: string;
  /** Overrides the client's `retryBillable` for this call. */
  retryBillable?: boolean;
  /** Who the call is for, such as a user or a tenant: with a `budget` per tag, what is spent for them is counted apart. */
  budgetTag?: string;
}

/** What a resource asks the transport to do. */
export interface Call {
  /** The call as the user wrote it, for messages: `videos.create`. */
  name: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path below the base address, with its variable parts encoded. */
  path: string;
  /** Encoded, without question mark. Left out of messages: values can be secret. */
  query?: string;
  /** The path begins at the root of the address: without the `/v1` that base addresses end in. */
  unversioned?: boolean;
  cost: CallCost;
  /** Throws an `InvalidRequestError` when the body breaks a hard limit; runs before anything is sent. */
  check?: () => void;
  /** JSON body; undefined for none. */
  body?: unknown;
  /** Writes a body that is no JSON, instead of `body`. */
  encode?: () => EncodedBody;
  /** What such a body was written from. */
  request?: unknown;
  /** Model of such a body; that of a `body` is read from it. */
  model?: string;
  /** The address to use whatever the route, when it is configured: where a task was created. */
  address?: AddressKind;
  /** What the call belongs to in place of what runs at the moment. */
  trace?: TraceContext | undefined;
  /** Served on the specialised addresses. */
  specialized?: boolean;
  /** The error inside a successful answer, in the form of an error body. Default: by the known envelopes. */
  findError?: (answer: unknown) => unknown;
  /** An answer without body is an answer: undefined. */
  mayBeEmpty?: boolean;
  /** What is wrong with a stream that ends properly and is not whole, for messages: `ended …`. */
  unfinished?: string;
  /** A sentence for the message of an error answer: what to do about it. Asked with the status that it means. */
  hint?: (meaning: number) => string | undefined;
  /** Of the call that this one is a part of; the option `deadline` holds for them all together then. */
  deadline?: Deadline;
  /** In milliseconds, where neither the call nor the client sets one. */
  defaultTimeoutMs: number;
  /** Largest answer that is kept in memory, in bytes. Default `MAX_JSON_BYTES`. */
  maxBytes?: number;
  /** Reads a whole answer while it arrives. Default: it is kept, and read when it is there. */
  createBodyReader?: () => BodyReader;
}

/** When a call is over, whatever it is doing by then. */
export interface Deadline {
  /** On the clock of `performance.now()`. */
  at: number;
  /** Its length in milliseconds, for messages. */
  ms: number;
}

/** @param ms undefined for a call that may take as long as it takes */
export function startDeadline(ms: number | undefined): Deadline | undefined {
  return ms === undefined ? undefined : { at: performance.now() + ms, ms };
}

/** Answers are text and a few vectors; a picture or two in Base64 fit as well. */
export const MAX_JSON_BYTES = 128 * 2 ** 20;
/** Answers that hold sets of pictures. A string of JavaScript cannot be much longer. */
export const MAX_IMAGES_BYTES = 400 * 2 ** 20;

/** The path of a call on an address, without its query. */
export function pathOn({ basePath }: Address, { path, unversioned }: Call): string {
  return (unversioned ? basePath.replace(/\/v\d+$/, "") : basePath) + path;
}

export const LONG_TIMEOUT_MS = 600_000;
export const SHORT_TIMEOUT_MS = 60_000;

const OPTION_NAMES: ReadonlyArray<keyof RequestOptions> = [
  "signal",
  "timeout",
  "deadline",
  "connectTimeout",
  "maxRetries",
  "headers",
  "route",
  "idempotencyKey",
  "retryBillable",
  "budgetTag",
];

/** Checks the options of a call; throws a `ConfigurationError` before anything is sent. */
export function checkRequestOptions(options: RequestOptions, name: string): void {
  checkOptionNames(options, OPTION_NAMES, name);
  checkDuration("timeout", options.timeout);
  checkDuration("deadline", options.deadline);
  checkDuration("connectTimeout", options.connectTimeout);
  checkCount("maxRetries", options.maxRetries);
  checkHeaders(options.headers);
}

/** How a call went until its answer began. */
export interface AnswerInfo {
  status: number;
  headers: ResponseHeaders;
  url: string;
  requestId: string | undefined;
  timeline: readonly AttemptRecord[];
  /** What comes of the call later belongs here. */
  trace?: TraceContext | undefined;
}

/** What traces are told of an answer. */
export function headOf({ status, requestId, timeline }: AnswerInfo): {
  attempts: number;
  status: number;
  requestId?: string;
} {
  return { attempts: timeline.length, status, ...(requestId !== undefined && { requestId }) };
}

const REQUEST_ID_HEADERS = ["x-request-id", "x-oneapi-request-id", "request-id"];

/** @param apiKey never part of an id, even where a server echoes it there */
export function readRequestId(headers: ResponseHeaders, apiKey: string | undefined): string | undefined {
  for (const name of REQUEST_ID_HEADERS) {
    const value = headers.get(name);
    if (value !== undefined && value !== "") return redactText(value, apiKey);
  }
  return undefined;
}
