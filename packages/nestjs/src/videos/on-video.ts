import { ConfigurationError } from "@model-gateway/core";
import { SetMetadata } from "@nestjs/common";
import { isHandlerStatus, type VideoHandlerStatus } from "./video-delivery.js";

/** Options of `@OnVideo`. */
export interface OnVideoOptions {
  /**
   * What the records of submissions know the handler by. Set it before a class or method gets another name: calls that are
   * due wait for a handler of the name that was written down. Default: class and method, such as `Mailer.send`.
   */
  name?: string;
  /** Name of the instance. Default: the default one. */
  instance?: string;
}

/** What the decorator leaves at a method. */
export interface OnVideoMetadata extends OnVideoOptions {
  statuses: readonly VideoHandlerStatus[];
}

/** Where it leaves it. */
export const ON_VIDEO_METADATA = "model-gateway:on-video";

/**
 * Has a method of a provider called when a submission comes to its end in one of these ways, or is of `unknown` outcome: with
 * its `VideoTaskRecord` and a `VideoDeliveryAttempt`. Once per submission, status and handler normally; again after it threw
 * and after a crash, until it returned. One process calls it at a time.
 *
 * @throws ConfigurationError when a status is none that a submission ends with
 * @example
 * \@OnVideo("succeeded")
 * async ship({ key, task }: VideoTaskRecord, { id }: VideoDeliveryAttempt) {}
 *
 * \@OnVideo("failed", "expired", "unknown", { instance: "eu" })
 * async refund({ key, status }: VideoTaskRecord) {}
 */
export function OnVideo(...settings: readonly [VideoHandlerStatus, ...VideoHandlerStatus[]]): MethodDecorator;
export function OnVideo(
  ...settings: readonly [VideoHandlerStatus, ...VideoHandlerStatus[], OnVideoOptions]
): MethodDecorator;
export function OnVideo(...settings: ReadonlyArray<VideoHandlerStatus | OnVideoOptions>): MethodDecorator {
  const last = settings.at(-1);
  const options = typeof last === "object" ? last : {};
  const statuses = typeof last === "object" ? settings.slice(0, -1) : settings;
  const stranger = statuses.find((status) => !isHandlerStatus(status));
  if (stranger !== undefined || statuses.length === 0) {
    throw new ConfigurationError(
      `@OnVideo needs statuses that a submission ends with, or "unknown", and not ${JSON.stringify(stranger ?? "none")}.`,
    );
  }
  return SetMetadata<string, OnVideoMetadata>(ON_VIDEO_METADATA, {
    ...options,
    statuses: statuses.filter(isHandlerStatus),
  });
}
