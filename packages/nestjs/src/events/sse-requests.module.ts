import { type MiddlewareConsumer, Module, type NestModule, RequestMethod } from "@nestjs/common";
import { sseRequests } from "./sse-request.js";

/** What of Node's requests and responses is read; middleware on Fastify gets the same. */
interface Incoming {
  headers: { accept?: string; "last-event-id"?: string | string[] };
}
interface Outgoing {
  headersSent: boolean;
}

/**
 * Lets `chatEvents()` and `imageEvents()` know which request they answer, without being given it. A middleware and no
 * interceptor: Nest waits for what a handler returns before it sends a head, and not for what an interceptor does.
 */
@Module({})
export class SseRequestsModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(rememberSseRequest).forRoutes({ path: "{*path}", method: RequestMethod.ALL });
  }
}

function rememberSseRequest(request: Incoming, response: Outgoing, next: () => void): void {
  const { accept, "last-event-id": lastEventId } = request.headers;
  if (lastEventId === undefined && !accept?.includes("text/event-stream")) {
    next();
    return;
  }
  const id = Array.isArray(lastEventId) ? lastEventId[0] : lastEventId;
  sseRequests.run({ lastEventId: id, hasHead: () => response.headersSent }, next);
}
