import {
  Body,
  Controller,
  HttpCode,
  HttpStatus,
  Inject,
  type InjectionToken,
  NotFoundException,
  Param,
  Post,
  SetMetadata,
  type Type,
  VERSION_NEUTRAL,
} from "@nestjs/common";
import { callbackPath } from "./callback-path.js";
import type { CallbackURLs } from "./callback-urls.js";

/** As `@ApiExcludeController()` of `@nestjs/swagger` sets it: the route is the gateway's, and nobody else's. */
const HIDDEN = { "swagger/apiExcludeController": [true] };

/** What the controller of an instance is made of. */
export interface CallbackRoute {
  path: string;
  /** Set on the controller, such as `{ isPublic: true }` for a global guard. */
  metadata: Record<string, unknown>;
}

/** Who is told of a callback: the instance's `VideosService`. */
export interface CallbackReceiver {
  /** @returns false when there is no submission with this key */
  handleCallback(key: string, body: unknown): Promise<boolean>;
}

/**
 * Makes the controller that the gateway calls back: a class per instance, since path and tokens differ. The body
 * is a hint and no more: it makes the task be polled now. Whatever is wrong with an address is a 404.
 *
 * @param urls token of the instance's `CallbackURLs`, or of undefined when it has none
 */
export function createCallbackController(
  { path, metadata }: CallbackRoute,
  instance: string,
  urls: InjectionToken<CallbackURLs | undefined>,
  videos: InjectionToken<CallbackReceiver>,
): Type {
  class ModelGatewayCallbackController {
    constructor(
      private readonly urls: CallbackURLs | undefined,
      private readonly videos: CallbackReceiver,
    ) {}

    async receive(segment: string, expires: string, mac: string, body: unknown): Promise<void> {
      const key = this.urls?.keyOf(segment) ?? segment;
      if (!this.urls?.verify(key, expires, mac) || !(await this.videos.handleCallback(key, body))) {
        throw new NotFoundException();
      }
    }
  }
  const handler = Object.getOwnPropertyDescriptor(ModelGatewayCallbackController.prototype, "receive");
  if (handler === undefined) throw new Error("The handler is defined above.");
  // Decorators as functions: the path is known at run time only.
  Post(":key/:expires/:mac")(ModelGatewayCallbackController.prototype, "receive", handler);
  HttpCode(HttpStatus.ACCEPTED)(ModelGatewayCallbackController.prototype, "receive", handler);
  for (const [index, parameter] of [Param("key"), Param("expires"), Param("mac"), Body()].entries()) {
    parameter(ModelGatewayCallbackController.prototype, "receive", index);
  }
  Inject(urls)(ModelGatewayCallbackController, undefined, 0);
  Inject(videos)(ModelGatewayCallbackController, undefined, 1);
  for (const [name, value] of Object.entries({ ...HIDDEN, ...metadata }))
    SetMetadata(name, value)(ModelGatewayCallbackController);
  Controller({ path: callbackPath(path, instance), version: VERSION_NEUTRAL })(
    ModelGatewayCallbackController,
  );
  return ModelGatewayCallbackController;
}
