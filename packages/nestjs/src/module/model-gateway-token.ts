import { ModelGateway } from "@model-gateway/core";
import type { Abstract, InjectionToken, Type } from "@nestjs/common";

/** The name of an instance that was given none. */
export const DEFAULT_INSTANCE = "default";

/**
 * Token of something that an instance of the module provides, for `@Inject()`, `app.get()` and
 * `overrideProvider()`. The default instance provides everything under its class.
 *
 * @param name the instance; left out for the default one
 * @param provided the class of a service, or `VideoTaskStore`; left out for the client
 * @example
 * constructor(@Inject(getModelGatewayToken("eu", ChatService)) private readonly chat: ChatService) {}
 */
export function getModelGatewayToken(name?: string): InjectionToken<ModelGateway>;
export function getModelGatewayToken<T>(
  name: string | undefined,
  provided: Type<T> | Abstract<T>,
): InjectionToken<T>;
export function getModelGatewayToken(
  name = DEFAULT_INSTANCE,
  provided: Type<unknown> | Abstract<unknown> = ModelGateway,
): InjectionToken {
  return name === DEFAULT_INSTANCE ? provided : `${provided.name}(${name})`;
}
