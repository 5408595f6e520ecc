import type { IncomingHttpHeaders, ServerResponse } from "node:http";

/** A request whose body has arrived wholly. */
export interface RecordedRequest {
  method: string;
  /** Path and query. */
  path: string;
  /** Names in lower case. */
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Body as UTF-8 text. */
  text: string;
  /** Body as JSON, undefined when it is none. */
  json: unknown;
}

/** What a server does once a request has arrived wholly. It may leave the connection in any state. */
export type Answer = (request: RecordedRequest, response: ServerResponse) => void | Promise<void>;
