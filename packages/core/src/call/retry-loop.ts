import { checkHeaders } from "../checks/check-headers.js";
import { type Address, addressesFor } from "../config/addresses.js";
import type { TracedCall } from "../hooks/tracer.js";
import {
  type ClientRuntime,
  eventOf,
  type FinishedCall,
  type PreparedCall,
  type Reading,
  runAttempt,
  tellFailure,
  timeLeft,
} from "./attempt.js";
import { type Call, checkRequestOptions, type RequestOptions, startDeadline } from "./call.js";
import { errorFromFailure } from "./call-errors.js";
import { delay } from "./delay.js";
import { encodeBody } from "./encode-body.js";
import { type AttemptOutcome, decideRetry, mayHaveBeenBilled } from "./retry-policy.js";
import { judgeStatus } from "./status-table.js";

/** Runs a call to its answer: attempts, waits and failover, until the policy says that it is over. */
export async function runWithRetries<E>(
  runtime: ClientRuntime,
  call: Call,
  options: RequestOptions,
  reading?: Reading<E>,
): Promise<FinishedCall<E>> {
  const prepared = prepare(runtime, call, options, reading);
  const { span, encoded, timeline, candidates } = prepared;
  const work = () => repeatAttempts(runtime, prepared);
  try {
    return await (span === undefined ? work() : span.run(work));
  } catch (error) {
    encoded.release?.(error);
    prepared.expense?.failed();
    span?.end({ attempts: timeline.length, error });
    const last = timeline.at(-1)?.address;
    const address = candidates.find(({ kind }) => kind === last) ?? (candidates[0] as Address);
    tellFailure(runtime.observer, eventOf(call, address, timeline.length), error);
    throw error;
  }
}

async function repeatAttempts<E>(
  runtime: ClientRuntime,
  prepared: PreparedCall<E>,
): Promise<FinishedCall<E>> {
  const { config, health, budget } = runtime;
  const { call, options, timeline } = prepared;
  for (;;) {
    const address = health.choose(prepared.candidates, performance.now());
    const result = await runAttempt(runtime, prepared, address);
    if (!("outcome" in result)) return result;

    const decision = decideRetry(result.outcome, {
      cost: call.cost,
      retryBillable: options.retryBillable ?? config.retryBillable,
      attempts: timeline.length,
      earlierDoubt: mayHaveBeenBilled(call.cost, timeline.slice(0, -1)),
      // A stream among the parts has been read: there is nothing to send again.
      maxRetries: prepared.encoded.replayable ? (options.maxRetries ?? config.maxRetries) : 0,
      timeoutMs: prepared.timeoutMs,
      timeLeftMs: timeLeft(prepared.deadline),
      random: Math.random,
    });
    // Also for the next call: a caller with retries of its own, such as a framework, comes back with a new one.
    const failsOver = prepared.candidates.length > 1 && isUnreachable(result.outcome, call);
    if (failsOver) health.markDown(address.kind, performance.now());
    if (decision.delayMs === undefined) throw result.toError(decision);
    if (!budget.take()) throw result.toError({ ...decision, outOfBudget: true });
    await beforeNextAttempt(runtime, prepared, address, result.outcome, decision.delayMs);
  }
}

/** Checks everything that can be checked before anything is sent. */
function prepare<E>(
  { config, headers, startSpan }: ClientRuntime,
  call: Call,
  options: RequestOptions,
  reading: Reading<E> | undefined,
): PreparedCall<E> {
  checkRequestOptions(options, call.name);
  call.check?.();
  const encoded = encodeBody(call);
  const own: Record<string, string> = { ...headers, ...checkHeaders(options.headers) };
  if (encoded.contentType !== undefined) own["content-type"] = encoded.contentType;
  if (reading !== undefined) own["accept"] = reading.accept;
  // A key among the caller's headers is the caller's choice, too; the option says it more plainly.
  if (options.idempotencyKey !== undefined) own["idempotency-key"] = options.idempotencyKey;
  else if (call.cost === "billable") own["idempotency-key"] ??= crypto.randomUUID();
  const candidates = addressesFor(config.addresses, options.route ?? config.route, call);
  return {
    call,
    options,
    encoded,
    headers: own,
    candidates,
    timeoutMs: options.timeout ?? config.timeoutMs ?? call.defaultTimeoutMs,
    deadline: call.deadline ?? startDeadline(options.deadline ?? config.deadlineMs),
    timeline: [],
    reading,
    span: startSpan(() => tracedCall(call, candidates[0] as Address)),
  };
}

function tracedCall(call: Call, address: Address): TracedCall {
  const { call: name, method, path, model } = eventOf(call, address, 1);
  const { body, trace: parent } = call;
  return {
    ...{ call: name, method, path, origin: address.origin, body },
    ...(model !== undefined && { model }),
    ...(parent !== undefined && { parent }),
  };
}

/** Moves to another address at once where one is up, else waits. */
async function beforeNextAttempt<E>(
  { health, observer }: ClientRuntime,
  { call, options, candidates, timeline, span }: PreparedCall<E>,
  address: Address,
  outcome: AttemptOutcome,
  delayMs: number,
): Promise<void> {
  const event = observer && eventOf(call, address, timeline.length);
  const next = isUnreachable(outcome, call) ? health.choose(candidates, performance.now()) : address;
  if (next !== address) {
    if (event) observer.onFailover({ ...event, to: next.kind });
    span?.onFailover({ to: next.kind });
    return;
  }
  const reason = outcome.phase === "answered" ? `answered ${outcome.status}` : outcome.phase;
  if (event) observer.onRetry({ ...event, reason, delayMs });
  span?.onRetry({ reason, delayMs });
  try {
    await delay(delayMs, options.signal);
  } catch (cause) {
    const context = { call, address, apiKey: undefined, timeline, idleTimeoutMs: 0 };
    throw errorFromFailure({ kind: "aborted", cause, sent: false }, context);
  }
}

/** Failover needs a failure in which nothing was sent; reads also leave an address that answers with 5xx. */
function isUnreachable(outcome: AttemptOutcome, call: Call): boolean {
  if (outcome.phase === "unsent") return true;
  if (call.cost !== "read") return false;
  return outcome.phase === "no_answer" || judgeStatus(outcome.status).failover;
}
