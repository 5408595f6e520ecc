/** A fault of the product, one line long, that the simulation has to find. */
export interface Mutant {
  /** What is wrong with it, in a sentence. */
  fault: string;
  /** Below `packages`. */
  file: string;
  /** Stands in the file once. */
  from: string;
  to: string;
  /** Where it shows, the likeliest first. */
  scenarios: readonly string[];
}

const RETRIES = "core/src/call/retry-policy.ts";
const LOOP = "core/src/call/retry-loop.ts";
const STATUS = "core/src/call/status-table.ts";
const READER = "core/src/streams/json-stream-reader.ts";
const ACCUMULATOR = "core/src/chat/completion-accumulator.ts";
const EMBEDDINGS = "core/src/embeddings/embedding-job.ts";
const BATCHES = "core/src/embeddings/batch-run.ts";
const RECORDS = "core/src/records/record-file.ts";
const CHECKPOINT = "core/src/ingest/checkpointed-cache.ts";
const WATCH = "core/src/videos/watch-video-task.ts";
const POLL = "core/src/videos/poll-video-task.ts";
const DELAY = "core/src/videos/poll-delay.ts";
const SERVICE = "nestjs/src/videos/videos.service.ts";
const LOCAL = "nestjs/src/videos/local-video-task-store.ts";
const JOURNAL = "nestjs/src/videos/journal/journal-file.ts";
const DRAFT = "nestjs/src/videos/journal/journal-draft.ts";
const REPAIR = "nestjs/src/videos/journal/repair-end.ts";
const OWNER = "nestjs/src/videos/journal/lock-owner.ts";
const DISPATCHER = "nestjs/src/videos/video-dispatcher.ts";
const RECEIVE = "nestjs/src/files/receive-file.ts";
const RESUMABLE = "core/src/resumable/resumable-streams.ts";

const LEDGER = "core/src/budget/budget-ledger.ts";
const EXPENSE = "core/src/budget/call-expense.ts";
const LOG = "core/src/disk/budget-log.ts";

const CALLS = ["core-calls"];
const INGEST = ["core-ingest"];
const BUDGETS = ["core-budget"];
const STREAMS = ["core-streams"];
const FILMS = ["nest-videos"];
const FAILING_DISK = ["failing-disk"];
const REPLICAS = ["nest-replicas"];
const RESUMED = ["resumable-streams"];
const KEPT = ["kept-files"];

export const MUTANTS: readonly Mutant[] = [
  {
    fault: "a billable call is repeated after its answer got lost",
    file: RETRIES,
    from: 'return cost === "read" || (cost === "repeatable" && outcome.cause === "reset");',
    to: 'return cost === "read" || outcome.cause === "reset";',
    scenarios: CALLS,
  },
  {
    fault: "a billable call is repeated after a status that leaves doubt",
    file: RETRIES,
    from: 'retry === "always" || (retry === "unless_billable" && cost !== "billable")',
    to: 'retry === "always" || retry === "unless_billable"',
    scenarios: CALLS,
  },
  {
    fault: "billable calls count as repeatable",
    file: RETRIES,
    from: 'context.cost === "billable" && context.retryBillable ? "repeatable"',
    to: 'context.cost === "billable" ? "repeatable"',
    scenarios: CALLS,
  },
  {
    fault: "a lost answer leaves no doubt",
    file: RETRIES,
    from: 'return phase === "no_answer" || (phase',
    to: "return (phase",
    scenarios: CALLS,
  },
  {
    fault: "no error says that it may have been paid",
    file: RETRIES,
    from: 'context.cost === "billable" && (context.earlierDoubt || leavesDoubt(outcome))',
    to: "false",
    scenarios: CALLS,
  },
  {
    fault: "an answer that cannot be read leaves no doubt",
    file: "core/src/call/call-errors.ts",
    from: '{ retryable: false, maybeProcessed: context.call.cost === "billable" },',
    to: "{ retryable: false, maybeProcessed: false },",
    scenarios: CALLS,
  },
  {
    fault: "more is repeated than the caller allows",
    file: RETRIES,
    from: "context.attempts > context.maxRetries",
    to: "context.attempts > context.maxRetries + 9",
    scenarios: CALLS,
  },
  {
    fault: "a server error counts as a refusal",
    file: STATUS,
    from: "return status >= 500 && status !== 501 ? FAILED : REFUSED;",
    to: "return REFUSED;",
    scenarios: CALLS,
  },
  {
    fault: "a time-out of the gateway counts as a refusal",
    file: STATUS,
    from: "if (status === 408) return GAVE_UP;",
    to: "if (status === 408) return RATE_LIMITED;",
    scenarios: CALLS,
  },
  {
    fault: "a server error is repeated whatever it costs",
    file: STATUS,
    from: 'const FAILED: StatusJudgement = { retry: "unless_billable"',
    to: 'const FAILED: StatusJudgement = { retry: "always"',
    scenarios: CALLS,
  },
  {
    fault: "the first attempt of a call is made twice",
    file: LOOP,
    from: "    const result = await runAttempt(runtime, prepared, address);\n",
    to: "    if (timeline.length === 0) await runAttempt(runtime, prepared, address);\n    const result = await runAttempt(runtime, prepared, address);\n",
    scenarios: CALLS,
  },
  {
    fault: "what may have been billed twice is said to have cost what it cost once",
    file: "core/src/prices/price-book.ts",
    from: "return doubt ? { ...cost, maybeMore: true } : cost;",
    to: "return cost;",
    scenarios: CALLS,
  },
  {
    fault: "a stream that just ends counts as whole",
    file: READER,
    from: "if (this.#shape.isWhole(this.#marked)) this.complete = true;",
    to: "this.complete = true;",
    scenarios: STREAMS,
  },
  {
    fault: "a stream that breaks counts as whole",
    file: READER,
    from: "if (harmless && this.#shape.isWhole(this.#marked)) {",
    to: "if (harmless) {",
    scenarios: STREAMS,
  },
  {
    fault: "an answer without a finish reason counts as whole",
    file: ACCUMULATOR,
    from: "choices.length === 0 || choices.some(({ finishReason }) => finishReason === null)",
    to: "choices.length === 0",
    scenarios: STREAMS,
  },
  {
    fault: "vectors of a batch belong to the texts before them",
    file: EMBEDDINGS,
    from: "this.#vectors[place] = answer.data.vectors[index];",
    to: "this.#vectors[place] = answer.data.vectors[(index + 1) % places.length];",
    scenarios: CALLS,
  },
  {
    fault: "batches are put together in the order in which they come",
    file: EMBEDDINGS,
    from: "this.#vectors[place] = answer.data.vectors[index];",
    to: "this.#vectors[this.#vectors.length] = answer.data.vectors[index];",
    scenarios: CALLS,
  },
  {
    fault: "the last batch is left out",
    file: BATCHES,
    from: "this.#queue.push(...parts.reverse());",
    to: "this.#queue.push(...parts.reverse().slice(parts.length > 1 ? 1 : 0));",
    scenarios: CALLS,
  },
  {
    fault: "two batches of an ingest ask for the same text",
    file: "core/src/embeddings/embedding-flights.ts",
    from: "if (flight !== undefined) {",
    to: "if (flight !== undefined && places.length === 0) {",
    scenarios: INGEST,
  },
  {
    fault: "an ingest does not wait for its checkpoint",
    file: CHECKPOINT,
    from: "const saving = this.#attend(async () => this.#checkpoint.setMany(entries));",
    to: "const saving = Promise.resolve(); void this.#attend(async () => this.#checkpoint.setMany(entries));",
    scenarios: INGEST,
  },
  {
    fault: "an ingest does not look into its checkpoint",
    file: CHECKPOINT,
    from: "const kept = await this.#attend(async () => this.#checkpoint.getMany(keys));",
    to: "const kept = keys.map((): Float32Array | undefined => undefined);",
    scenarios: INGEST,
  },
  {
    fault: "what an ingest has written is not noted",
    file: "core/src/ingest/ingest.ts",
    from: "await checkpoint.setNotes(ready.map(({ writtenKey }) => [writtenKey, WRITTEN]));",
    to: "",
    scenarios: INGEST,
  },
  {
    fault: "records are not on the disk when they are said to be",
    file: RECORDS,
    from: "if (this.#durable) await this.#sync(handle, entries, lines);",
    to: "",
    scenarios: INGEST,
  },
  {
    fault: "what a killed process has written counts as on the disk",
    file: RECORDS,
    from: "need not be on the disk.\n        await handle.datasync();",
    to: "need not be on the disk.",
    scenarios: INGEST,
  },
  {
    fault: "a record begins where a torn one ends",
    file: RECORDS,
    from: ' : "\\n";',
    to: ' : "";',
    scenarios: INGEST,
  },
  {
    fault: "a poll that fails ends the watch",
    file: WATCH,
    from: "if (nextPollMs === undefined) this.#end(error);",
    to: "if (nextPollMs === undefined || error !== undefined) this.#end(error);",
    scenarios: CALLS,
  },
  {
    fault: "a task is polled on after its end",
    file: POLL,
    from: "if (isTerminal(task.status)) return { task, changed, failedPolls: 0 };",
    to: "",
    scenarios: CALLS,
  },
  {
    fault: "a poll that failed is repeated without a pause",
    file: DELAY,
    from: "const nextPollMs = Math.min(maxMs, firstMs * 2 ** Math.min(failedBefore, MAX_DOUBLINGS));",
    to: "const nextPollMs = Number.NaN;",
    scenarios: [...CALLS, ...FILMS],
  },
  {
    fault: "what may have been paid is written down as refused",
    file: SERVICE,
    from: "const surelyNotPaid = GatewayError.isInstance(error) && !error.maybeProcessed;",
    to: "const surelyNotPaid = GatewayError.isInstance(error);",
    scenarios: FILMS,
  },
  {
    fault: "a submission is paid before it is written down",
    file: SERVICE,
    from: "    await this.begin(begun);\n",
    to: "    void this.begin(begun).catch(() => undefined);\n",
    scenarios: FILMS,
  },
  {
    fault: "a key that is taken is paid for again",
    file: LOCAL,
    from: 'previous === undefined || previous.status === "rejected" ? begunRecord(intent, previous) : undefined,',
    to: "begunRecord(intent, undefined),",
    scenarios: [...REPLICAS, ...FILMS],
  },
  {
    fault: "a key whose outcome nobody knows is free again",
    file: LOCAL,
    from: 'previous.status === "rejected" ?',
    to: 'previous.status !== "queued" ?',
    scenarios: [...REPLICAS, ...FILMS],
  },
  {
    fault: "a submission that a crash cut counts as refused",
    file: LOCAL,
    from: 'troubledRecord(record, "unknown", LEFT_BEHIND)',
    to: 'troubledRecord(record, "rejected", LEFT_BEHIND)',
    scenarios: FILMS,
  },
  {
    fault: "records show up before they are on disk",
    file: LOCAL,
    from: "        await this.persist(record);\n",
    to: "        void this.persist(record).catch(() => undefined);\n",
    scenarios: FILMS,
  },
  {
    fault: "tasks are not taken up after a restart",
    file: LOCAL,
    from: "      this.handOut(record);\n      this.handDeliver(record);\n",
    to: "      this.handDeliver(record);\n",
    scenarios: FILMS,
  },
  {
    fault: "what is appended to the journal is not synced",
    file: JOURNAL,
    from: '    await this.file.datasync().catch((cause) => this.breakDown("was not confirmed by the disk", cause));\n',
    to: "",
    scenarios: FILMS,
  },
  {
    fault: "the folder of a new journal is not synced",
    file: JOURNAL,
    from: "      await syncFolder(dirname(path));\n    } catch (error) {\n",
    to: "    } catch (error) {\n",
    scenarios: FILMS,
  },
  {
    fault: "a compacted journal gets its name before it is on disk",
    file: DRAFT,
    from: "      await flush();\n      await file.datasync();\n",
    to: "      await flush();\n",
    scenarios: FILMS,
  },
  {
    fault: "the name of a compacted journal is not synced",
    file: JOURNAL,
    from: "    await syncFolder(dirname(path)).catch((cause) => {",
    to: "    await Promise.resolve().catch((cause) => {",
    scenarios: FILMS,
  },
  {
    fault: "a write that found no room leaves its piece behind",
    file: JOURNAL,
    from: '      await this.file.truncate(this.length).catch((cause) => this.breakDown("could not be mended", cause));\n',
    to: "",
    scenarios: FILMS,
  },
  {
    fault: "a write that the disk did not confirm counts",
    file: JOURNAL,
    from: 'this.file.datasync().catch((cause) => this.breakDown("was not confirmed by the disk", cause));',
    to: "this.file.datasync().catch(() => undefined);",
    scenarios: FAILING_DISK,
  },
  {
    fault: "what a failed sync may have left out is not written again",
    file: JOURNAL,
    from: "if (length > 0) await writeAgain(path, reading.durableLength, length);",
    to: "if (length > 0) await file.datasync();",
    scenarios: FAILING_DISK,
  },
  {
    fault: "a sync that failed is followed by one that confirms",
    file: RECEIVE,
    from: "if (received > synced && isDiskWell) await",
    to: "if (received > synced) await",
    scenarios: ["failing-disk-files"],
  },
  {
    fault: "the torn end of a journal stays",
    file: REPAIR,
    from: "    await file.truncate(offset + bytes.length);\n    await file.datasync();\n",
    to: "",
    scenarios: FAILING_DISK,
  },
  {
    fault: "the lock of a dead process is waited for",
    file: OWNER,
    from: 'if (!answers(owner.pid)) return "dead";',
    to: 'if (!answers(owner.pid)) return "alive";',
    scenarios: FILMS,
  },
  {
    fault: "a budget looks at what was reserved before, and not at what a call needs",
    file: LEDGER,
    from: "exact(account.spent + account.reserved + more) > limit",
    to: "exact(account.spent + account.reserved) > limit",
    scenarios: BUDGETS,
  },
  {
    fault: "a budget counts what was settled, and not what is reserved",
    file: LEDGER,
    from: "exact(account.spent + account.reserved + more) > limit",
    to: "exact(account.spent + more) > limit",
    scenarios: BUDGETS,
  },
  {
    fault: "a dead process gives its room in the budget back",
    file: LEDGER,
    from: 'const held: Reservation = { ...known, state: "unresolved" };',
    to: 'const held: Reservation = { ...known, state: "unresolved", amount: 0 };',
    scenarios: BUDGETS,
  },
  {
    fault: "a call in doubt gives its room in the budget back",
    file: EXPENSE,
    from: "const billed = billedAttempts(timeline);",
    to: "const billed = 0 * billedAttempts(timeline);",
    scenarios: BUDGETS,
  },
  {
    fault: "an attempt after one that may have been billed needs no room of its own",
    file: EXPENSE,
    from: "const needed = (billedAttempts(this.call.timeline) + 1) * this.#upper;",
    to: "const needed = this.#upper;",
    scenarios: BUDGETS,
  },
  {
    fault: "a stream is settled when it begins",
    file: EXPENSE,
    from: "if (!streams || this.#hasEnded) this.#settle",
    to: "if (!streams || !this.#hasEnded) this.#settle",
    scenarios: BUDGETS,
  },
  {
    fault: "what a call has reserved is not on the disk when it is sent",
    file: LOG,
    from: "    await this.#file.datasync();\n",
    to: "",
    scenarios: BUDGETS,
  },
  {
    fault: "what may have been paid goes back into the line",
    file: DISPATCHER,
    from: "if (!GatewayError.isInstance(error) || error.maybeProcessed) return () => store.lose(key, problem);",
    to: "if (!GatewayError.isInstance(error)) return () => store.lose(key, problem);",
    scenarios: REPLICAS,
  },
  {
    fault: "a film that is being submitted takes no place",
    file: "nestjs/src/videos/video-task-record.ts",
    from: "return waiting === undefined && keeping === undefined && !isOver(record)",
    to: 'return waiting === undefined && record.status !== "submitting" && !isOver(record)',
    scenarios: REPLICAS,
  },
  {
    fault: "the end of a film is written down without its handlers",
    file: "nestjs/src/videos/video-delivery.ts",
    from: "return due.length === 0 ? record : { ...record, deliveries: [...before, ...due] };",
    to: "return record;",
    scenarios: REPLICAS,
  },
  {
    fault: "a reader that comes back is given the last event again",
    file: RESUMABLE,
    from: "let page = await reading.read(known?.number ?? 0);",
    to: "let page = await reading.read(Math.max(0, (known?.number ?? 0) - 1));",
    scenarios: RESUMED,
  },
  {
    fault: "a reader of what was refused is told that it was lost",
    file: RESUMABLE,
    from: "if (number > 0 || askedBy(next.run) !== askedBy(run)) throw",
    to: "throw",
    scenarios: RESUMED,
  },
  {
    fault: "a call is made for a stream that was stopped before it began",
    file: RESUMABLE,
    from: "    if (!held) return run;\n",
    to: "",
    scenarios: RESUMED,
  },
  {
    fault: "a part of another film is put behind the first",
    file: RECEIVE,
    from: "    download.version === version &&\n",
    to: "",
    scenarios: KEPT,
  },
  {
    fault: "what is known of a film counts from where it went on",
    file: RECEIVE,
    from: "const hash = await hashOf(path, synced);",
    to: 'const hash = createHash("sha256");',
    scenarios: KEPT,
  },
];
