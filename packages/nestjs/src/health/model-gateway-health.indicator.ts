import { APIConnectionError, GatewayError, RateLimitError } from "@model-gateway/core";
import { Inject, Injectable, Logger } from "@nestjs/common";
import { ModuleRef } from "@nestjs/core";
import { type HealthIndicatorResult, HealthIndicatorService } from "@nestjs/terminus";
import { ModelsService } from "../models/models.service.js";
import { getModelGatewayToken } from "../module/model-gateway-token.js";
import { VideosService } from "../videos/videos.service.js";

/** Options of `isHealthy`. */
export interface ModelGatewayHealthOptions {
  /** Name of the instance. Default: the default one. */
  instance?: string;
  /** How long the check may take, in milliseconds. Default 3000. */
  timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 3_000;

/**
 * Health of an instance for `@nestjs/terminus` 11 and 12: one indicator serves all instances. What it shows may be
 * public: it holds no address, no key and nothing that the gateway said. The error behind it is logged.
 *
 * @example
 * \@Get("health")
 * \@HealthCheck()
 * check() {
 *   return this.health.check([() => this.gateway.isHealthy("model-gateway")]);
 * }
 */
@Injectable()
export class ModelGatewayHealthIndicator {
  private readonly logger = new Logger(ModelGatewayHealthIndicator.name);

  constructor(
    @Inject(HealthIndicatorService) private readonly health: HealthIndicatorService,
    @Inject(ModuleRef) private readonly modules: ModuleRef,
  ) {}

  /**
   * - `down` when the model list (`GET /models`) cannot be read in time, by a call as the application would make it
   * - `degraded` with `reasons` when the gateway asks to slow down, there are submissions of unknown outcome, or the
   *   store of video tasks is in trouble. Terminus 11 has no such state: there it is `up` with `reasons`
   * - `up` otherwise
   */
  async isHealthy<const Key extends string>(
    key: Key,
    { instance, timeoutMs = DEFAULT_TIMEOUT_MS }: ModelGatewayHealthOptions = {},
  ): Promise<HealthIndicatorResult<Key>> {
    const models = this.modules.get(getModelGatewayToken(instance, ModelsService), { strict: false });
    const videos = this.modules.get(getModelGatewayToken(instance, VideosService), { strict: false });
    const session = this.health.check(key);
    const signal = AbortSignal.timeout(timeoutMs);
    const [listing, tasks] = await Promise.all([
      outcomeOf(models.list({ signal, timeout: timeoutMs }), signal),
      outcomeOf(videos.troubles(), signal),
    ]);
    const troubles = tasks.value ?? [this.explain(key, "The video tasks cannot be read.", tasks.error)];
    if (listing.error === undefined) {
      return troubles.length === 0 ? session.up() : degraded(session, troubles);
    }
    if (RateLimitError.isInstance(listing.error)) {
      return degraded(session, ["The gateway asks to send fewer requests.", ...troubles]);
    }
    const late = listing.error === signal.reason || isTimeout(listing.error);
    const reason = late ? `The gateway did not answer within ${timeoutMs} ms.` : reasonOf(listing.error);
    return session.down({ reasons: [this.explain(key, reason, listing.error), ...troubles] });
  }

  private explain(key: string, reason: string, error: unknown): string {
    this.logger.warn(`${key}: ${reason} ${String(error)}`);
    return reason;
  }
}

function isTimeout(error: unknown): boolean {
  return GatewayError.isInstance(error) && (error.kind === "timeout" || error.kind === "aborted");
}

function reasonOf(error: unknown): string {
  return APIConnectionError.isInstance(error)
    ? "The gateway cannot be reached."
    : "The gateway does not give its model list.";
}

/** What Terminus 12 makes of a key; Terminus 11 knows up and down only. */
interface Session<Key extends string> {
  up(data?: { reasons: string[] }): HealthIndicatorResult<Key>;
  degraded?(data: { reasons: string[] }): HealthIndicatorResult<Key>;
}

function degraded<Key extends string>(session: Session<Key>, reasons: string[]): HealthIndicatorResult<Key> {
  return session.degraded?.({ reasons }) ?? session.up({ reasons });
}

/** What comes of it before the signal aborts, also of work that takes no signal. */
function outcomeOf<T>(
  work: PromiseLike<T>,
  signal: AbortSignal,
): Promise<{ value: T; error?: never } | { value?: never; error: unknown }> {
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  return Promise.race([work, aborted]).then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}
