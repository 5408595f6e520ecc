import { HttpException, HttpStatus } from "@nestjs/common";

type VideoExceptionStatus = keyof typeof STATUS_TEXTS;

/** What is known of it beside what clients may read. */
export interface VideoExceptionOptions {
  /** For the log, in place of what clients are told. */
  detail?: string;
  cause?: unknown;
}

const STATUS_TEXTS = {
  [HttpStatus.NOT_FOUND]: "Not Found",
  [HttpStatus.CONFLICT]: "Conflict",
  [HttpStatus.INTERNAL_SERVER_ERROR]: "Internal Server Error",
  [HttpStatus.SERVICE_UNAVAILABLE]: "Service Unavailable",
} as const;

/**
 * What `VideosService` throws that is no error of the gateway. `getResponse()` is what clients may read, `message` what an
 * operator should. Nest answers with it over HTTP; for messages, `ModelGatewayExceptionFilter` does.
 */
export abstract class VideoException extends HttpException {
  /** Whether something may have been paid for that whoever asked did not get; as on the errors of core. */
  readonly maybeProcessed: boolean = false;

  /** @param told what clients may read */
  constructor(status: VideoExceptionStatus, told: string, { detail, cause }: VideoExceptionOptions = {}) {
    super({ message: told, error: STATUS_TEXTS[status], statusCode: status }, status, { cause });
    if (detail !== undefined) this.message = detail;
  }
}
