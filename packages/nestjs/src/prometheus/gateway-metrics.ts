import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { Observable } from "rxjs";
import type { MetricsEvent } from "../metrics/metrics-event.js";
import { isOver, isWaiting, type VideoTaskRecord } from "../videos/video-task-record.js";
import type { VideosService } from "../videos/videos.service.js";
import { countTokens } from "./count-tokens.js";

/** Answers take from tens of milliseconds to minutes. */
const DURATION_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640];
const PREFIX = "model_gateway_";
/** A store that fails must not take the other metrics along. */
const UNREADABLE = ["The store cannot be read."];
const NO_MODEL = "none";
const OTHER_MODEL = "other";

/** Registries hold a name once; two modules on one registry share what is counted. */
const known = new WeakMap<Registry, GatewayMetrics>();

/** What is counted of the clients of an application. */
export class GatewayMetrics {
  private readonly attempts;
  private readonly durations;
  private readonly failures;
  private readonly retries;
  private readonly failovers;
  private readonly streams;
  private readonly streamDurations;
  private readonly tokens;
  private readonly costs;
  private readonly pollFailures;
  private readonly stalls;
  private readonly deliveries;
  /** Services by the instances that are counted now. */
  private readonly videos = new Map<string, VideosService>();
  private readonly models = new Map<string, Set<string>>();

  private constructor(
    register: Registry,
    private readonly maxModels: number,
  ) {
    const registers = [register];
    const counter = <const Label extends string>(name: string, help: string, labelNames: Label[]) =>
      new Counter({ name: PREFIX + name, help, labelNames: ["instance", ...labelNames] as const, registers });
    const histogram = <const Label extends string>(name: string, help: string, labelNames: Label[]) =>
      new Histogram({
        ...{ name: PREFIX + name, help, labelNames: ["instance", ...labelNames] as const, registers },
        buckets: DURATION_BUCKETS,
      });
    this.attempts = counter("attempts_total", "Attempts that were answered.", ["call", "model", "status"]);
    this.durations = histogram(
      "attempt_duration_seconds",
      "Time until an answer was complete, of streams until their head.",
      ["call", "model"],
    );
    this.failures = counter("failures_total", "Calls that failed, with nothing more to be tried.", [
      "call",
      "model",
      "kind",
      "maybe_processed",
    ]);
    this.retries = counter("retries_total", "Attempts that failed and were repeated.", ["call", "reason"]);
    this.failovers = counter("failovers_total", "Attempts that went on to another address.", ["call", "to"]);
    this.streams = counter("streams_total", "Streams that are over.", ["call", "model", "outcome"]);
    this.streamDurations = histogram(
      "stream_duration_seconds",
      "Time from the head of a stream to its end.",
      ["call", "model"],
    );
    this.tokens = counter("tokens_total", "Tokens as the gateway counted them.", ["call", "model", "type"]);
    this.costs = counter("cost_total", "What calls have cost, in units of the currency.", [
      "call",
      "model",
      "currency",
      "source",
    ]);
    this.pollFailures = counter("poll_failures_total", "Polls of video tasks that failed; the tasks go on.", [
      "kind",
    ]);
    this.stalls = counter("video_stalls_total", "Video tasks that became unreadable; they are polled on.", [
      "kind",
    ]);
    this.deliveries = counter("video_deliveries_total", "Calls of handlers for videos that ended.", [
      "handler",
      "outcome",
    ]);
    this.addGauges(registers);
  }

  static in(register: Registry, maxModels: number): GatewayMetrics {
    const metrics = known.get(register) ?? new GatewayMetrics(register, maxModels);
    known.set(register, metrics);
    return metrics;
  }

  /** Counts an instance until its events complete. */
  observe(instance: string, events$: Observable<MetricsEvent>, videos: VideosService): void {
    this.videos.set(instance, videos);
    events$.subscribe({
      next: (event) => this.count(instance, event),
      complete: () => {
        if (this.videos.get(instance) === videos) this.videos.delete(instance);
      },
    });
  }

  private count(instance: string, event: MetricsEvent): void {
    if (event.type === "video_stalled") this.stalls.inc({ instance, kind: event.kind });
    else if (event.type === "video_delivery")
      this.deliveries.inc({ instance, handler: event.handler, outcome: event.outcome });
    else if (event.type !== "video_resumed") this.countCall(instance, event);
  }

  private countCall(instance: string, event: Exclude<MetricsEvent, { key: string }>): void {
    const { call } = event;
    const model = this.labelOf(instance, event.model);
    switch (event.type) {
      case "response":
        this.attempts.inc({ instance, call, model, status: event.status });
        this.durations.observe({ instance, call, model }, event.ms / 1_000);
        this.countTokens({ instance, call, model }, event.usage);
        break;
      case "failure":
        this.failures.inc({
          ...{ instance, call, model, kind: event.kind },
          maybe_processed: String(event.maybeProcessed),
        });
        break;
      case "retry":
        this.retries.inc({ instance, call, reason: event.reason });
        break;
      case "failover":
        this.failovers.inc({ instance, call, to: event.to });
        break;
      case "stream_end":
        this.streams.inc({ instance, call, model, outcome: event.outcome });
        this.streamDurations.observe({ instance, call, model }, event.ms / 1_000);
        this.countTokens({ instance, call, model }, event.usage);
        break;
      case "cost": {
        const { amount, currency, source } = event.cost;
        this.costs.inc({ instance, call, model, currency, source }, amount);
        break;
      }
      case "poll_failed":
        this.pollFailures.inc({ instance, kind: event.reason.split(":", 1)[0] ?? "other" });
        break;
      case "request":
        break;
    }
  }

  private countTokens(labels: { instance: string; call: string; model: string }, usage: unknown): void {
    for (const [type, count] of countTokens(usage)) this.tokens.inc({ ...labels, type }, count);
  }

  /** An application that passes on the models of its users must not fill the registry. */
  private labelOf(instance: string, model: string | undefined): string {
    if (model === undefined) return NO_MODEL;
    const models = this.models.get(instance) ?? new Set();
    this.models.set(instance, models);
    if (models.has(model)) return model;
    if (models.size >= this.maxModels) return OTHER_MODEL;
    models.add(model);
    return model;
  }

  private addGauges(registers: Registry[]): void {
    const { videos } = this;
    const labelNames = ["instance"] as const;
    new Gauge({
      name: `${PREFIX}video_troubles`,
      help: "What stands in the way of the video tasks right now; their health check says it in words.",
      labelNames,
      registers,
      async collect() {
        this.reset();
        for (const [instance, service] of videos)
          this.set({ instance }, (await service.troubles().catch(() => UNREADABLE)).length);
      },
    });
    new Gauge({
      name: `${PREFIX}video_tasks`,
      help: "Video tasks that are not over, by where they stand; those that cannot be read are stalled.",
      labelNames: [...labelNames, "status", "stalled"] as const,
      registers,
      async collect() {
        this.reset();
        for (const [instance, service] of videos) {
          for (const record of await openRecords(service))
            if (!isOver(record) && !isWaiting(record))
              this.inc({ instance, status: record.status, stalled: String(record.stalled !== undefined) });
        }
      },
    });
    new Gauge({
      name: `${PREFIX}video_submissions_waiting`,
      help: "Submissions that wait for their turn; those that the gateway did not take at their last turn are turned_away.",
      labelNames: [...labelNames, "turned_away"] as const,
      registers,
      async collect() {
        this.reset();
        for (const [instance, service] of videos) {
          for (const { waiting } of (await openRecords(service)).filter(isWaiting))
            this.inc({ instance, turned_away: String(waiting.problem !== undefined) });
        }
      },
    });
    new Gauge({
      name: `${PREFIX}video_submissions_oldest_wait_seconds`,
      help: "For how long the submission that came first has waited for its turn.",
      labelNames,
      registers,
      async collect() {
        this.reset();
        const now = Date.now();
        for (const [instance, service] of videos) {
          const waits = (await openRecords(service))
            .filter(isWaiting)
            .map(({ waiting }) => now - waiting.since);
          this.set({ instance }, Math.max(0, ...waits) / 1_000);
        }
      },
    });
    new Gauge({
      name: `${PREFIX}video_deliveries_open`,
      help: "Calls of handlers for videos that ended which are due, or dead until they are asked for again.",
      labelNames: [...labelNames, "handler", "state"] as const,
      registers,
      async collect() {
        this.reset();
        for (const [instance, service] of videos) {
          const records = await openRecords(service);
          for (const { handler, state } of records.flatMap(({ deliveries = [] }) => deliveries))
            if (state !== "delivered") this.inc({ instance, handler, state });
        }
      },
    });
  }
}

/** All gauges of a collection read them once. */
const reading = new WeakMap<VideosService, Promise<VideoTaskRecord[]>>();

function openRecords(service: VideosService): Promise<VideoTaskRecord[]> {
  const records =
    reading.get(service) ??
    service
      .list({ finished: false })
      .catch(() => [])
      .finally(() => reading.delete(service));
  reading.set(service, records);
  return records;
}
