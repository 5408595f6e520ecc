export { type InvalidInput, InvalidInputsError } from "./embeddings/invalid-inputs-error.js";
export {
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from "./errors/api-error.js";
export { BudgetExceededError, BudgetUnavailableError } from "./errors/budget-errors.js";
export {
  APIConnectionError,
  APITimeoutError,
  APIUserAbortError,
  ConfigurationError,
  InvalidRequestError,
  InvalidResponseError,
  type RequestProblem,
  StreamInterruptedError,
  type StreamInterruption,
} from "./errors/errors.js";
export {
  type AttemptPhase,
  type AttemptRecord,
  GatewayError,
  type GatewayErrorKind,
} from "./errors/gateway-error.js";
export { VideoTaskFailedError, VideoTaskTimeoutError } from "./videos/video-errors.js";
