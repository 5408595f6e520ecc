import { BudgetExceededError, GatewayError, RateLimitError } from "@model-gateway/core";
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpStatus, Logger } from "@nestjs/common";
import { type Observable, throwError } from "rxjs";
import { VideoException } from "../videos/video-exception.js";
import { toHttpException } from "./to-http-exception.js";

/** Nest matches with `instanceof`, which fails on errors of another copy of core. */
// biome-ignore lint/complexity/noStaticOnlyClass: `instanceof` asks a class.
abstract class AnyGatewayError {
  static [Symbol.hasInstance](error: unknown): boolean {
    return GatewayError.isInstance(error);
  }
}

/** What the responses of Nest's HTTP platforms have in common. */
interface HttpReply {
  status(status: number): HttpReply;
  header(name: string, value: string): HttpReply;
  send(body: unknown): unknown;
  /** Express */
  headersSent?: boolean;
  /** Fastify */
  sent?: boolean;
  raw?: { end(): void };
  end?(): void;
}

/**
 * Answers for failed calls to the gateway: 400 and 422 stay 400, 404 stays 404, 429 stays 429 with
 * `Retry-After`, and so is a call that its budget has no room for (402 where it never will); what is wrong with our
 * key, our quota or the gateway is 502 (503 when it cannot be reached, 504 when it takes too long) without a word about
 * the inside. The error itself is logged. So it does for what `VideosService` refuses (`VideoException`), which Nest by
 * itself knows over HTTP only.
 *
 * In message handlers the client gets a plain object instead; elsewhere (GraphQL) an `HttpException` is thrown.
 *
 * @example
 * app.useGlobalFilters(new ModelGatewayExceptionFilter());
 */
@Catch(AnyGatewayError, VideoException)
export class ModelGatewayExceptionFilter implements ExceptionFilter<GatewayError | VideoException> {
  private readonly logger = new Logger(ModelGatewayExceptionFilter.name);

  catch(error: GatewayError | VideoException, host: ArgumentsHost): Observable<never> | undefined {
    const exception = error instanceof VideoException ? error : toHttpException(error);
    const status: HttpStatus = exception.getStatus();
    if (status >= HttpStatus.INTERNAL_SERVER_ERROR) this.logger.error(error.message, error.stack);
    switch (host.getType<string>()) {
      case "http":
        answer(host.switchToHttp().getResponse<HttpReply>(), status, exception.getResponse(), error);
        return undefined;
      case "rpc":
        return throwError(() => ({ ...messageBody(exception.getResponse()) }));
      case "ws":
        emit(host.switchToWs().getClient<WsClient>(), messageBody(exception.getResponse()));
        return undefined;
      default:
        throw exception;
    }
  }
}

function answer(reply: HttpReply, status: HttpStatus, body: string | object, error: unknown): void {
  if (reply.headersSent === true || reply.sent === true) {
    (reply.raw ?? reply).end?.();
    return;
  }
  const retryAfterMs = status === HttpStatus.TOO_MANY_REQUESTS ? retryAfterOf(error) : undefined;
  if (retryAfterMs !== undefined) reply.header("Retry-After", String(Math.ceil(retryAfterMs / 1000)));
  reply.status(status).send(body);
}

/** When a used-up budget holds anew, or what the gateway asks for. */
function retryAfterOf(error: unknown): number | undefined {
  if (BudgetExceededError.isInstance(error)) return Math.max(0, error.renewsAt - Date.now());
  return RateLimitError.isInstance(error) ? error.retryAfterMs : undefined;
}

/** A connected client of Socket.IO, or of a plain WebSocket server. */
interface WsClient {
  readyState?: number;
  send?(text: string): void;
  emit?(event: string, payload: unknown): void;
}

/** The way Nest's own filter tells a client; a filter that throws there would end the process. */
function emit(client: WsClient, payload: object): void {
  const event = "exception";
  if (typeof client.readyState === "number") client.send?.(JSON.stringify({ event, data: payload }));
  else client.emit?.(event, payload);
}

/** The shape that Nest's own message filters send. */
function messageBody(body: string | object): object {
  return { status: "error", ...(typeof body === "string" ? { message: body } : body) };
}
