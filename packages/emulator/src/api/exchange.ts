import type { Answer } from "../http/answer.js";
import type { BaseKind } from "../http/base-kinds.js";
import type { Bill } from "../state/bill.js";
import type { StoredKey } from "../state/key-store.js";
import type { ModelEntry } from "../state/model-table.js";
import type { ScriptedReply } from "./scripted-reply.js";
import type { Services } from "./services.js";

/** One request on its way to an endpoint, past authentication. */
export interface Exchange {
  request: Request;
  url: URL;
  /** Path parameters by name, decoded. */
  parameters: Record<string, string>;
  key: StoredKey;
  /** What the key may call under this base address. */
  models: readonly ModelEntry[];
  /** What of its group the key itself is not allowed. */
  deniedModels: readonly ModelEntry[];
  /** The parsed JSON body, or the fields of a form by name; undefined for GET. */
  body: unknown;
  services: Services;
  /** What the call costs; whatever is open on it when the endpoint has answered is charged. */
  bill: Bill;
  /** Says why it is answered as it is, for the journal. */
  explain(...lines: string[]): void;
  /** What a script says that the answer is. */
  scripted?: ScriptedReply;
  /** Real milliseconds before each event of a stream, in place of what the settings say. */
  eachMs?: number;
  /** Aborts when the client leaves or the emulator closes. */
  signal: AbortSignal;
}

/** An endpoint below each of the four base addresses. */
export interface Route {
  method: "GET" | "POST" | "DELETE";
  /** In the router's notation: `/videos/:task_id`. */
  path: string;
  /** The base addresses that have it; all four when absent. */
  bases?: readonly BaseKind[];
  /** The body is `multipart/form-data`, not JSON; or may be either. */
  multipart?: true | "also";
  /** False for a POST without a body. */
  hasBody?: false;
  handle(exchange: Exchange): Answer | Promise<Answer>;
  /** The texts of a body, checked or not: in each, prompt markers count. */
  promptTexts?(body: unknown): readonly string[];
  /** Where a body, checked or not, stands in its conversation. */
  conversationOf?(body: unknown): { turn: number; tool: string | undefined };
  /** No other server of the wire format has it: it is answered here, whatever it asks for. */
  isNative?: boolean;
  /** `[[fail]]` and `[[stuck]]` are about the task that the endpoint creates, not about its answer. */
  createsTask?: boolean;
}
