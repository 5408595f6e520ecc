import { Answer } from "../http/answer.js";
import type { APIError } from "../http/api-error.js";
import type { ProfileSettings } from "./profile.js";

/** What is known of a request that is refused. */
interface Refused {
  /** Below the base address, or all of it where there is none. */
  path: string;
  requestId: string;
  /** The bearer token as sent. */
  token: string | null;
}

type Envelope = (error: APIError, refused: Refused) => { status: number; body: object };

/** Codes of the Ark family, by status. */
const ARK: Readonly<Record<number, [code: string, type: string]>> = {
  400: ["InvalidParameter", "BadRequest"],
  401: ["AuthenticationError", "Unauthorized"],
  403: ["AccessDenied", "Forbidden"],
  404: ["InvalidEndpointOrModel.NotFound", "NotFound"],
  409: ["InvalidAction", "Conflict"],
  429: ["RateLimitExceeded.EndpointRPMExceeded", "TooManyRequests"],
};
/** Codes of the Ark family for what the emulator has a code of its own for. */
const ARK_BY_CODE: Readonly<Record<string, string>> = {
  insufficient_user_quota: "AccountOverdueError",
  task_is_running: "InvalidAction.RunningTaskDeletion",
};

/** Codes of Kling, by status. */
const KLING: Readonly<Record<number, number>> = {
  ...{ 400: 1201, 401: 1002, 403: 1103, 404: 1203, 429: 1302, 503: 5001, 504: 5002 },
};

/** Codes of Bailian's own endpoints, by status. */
const BAILIAN: Readonly<Record<number, string>> = {
  400: "InvalidParameter",
  401: "InvalidApiKey",
  403: "AccessDenied",
  404: "NotFound",
  429: "Throttling.RateQuota",
};

/** Of new-api's answers those that its task routes give themselves; the others come from what stands before all routes. */
const NEW_API_TASK_ERRORS: Readonly<Record<string, [status: number, code: string]>> = {
  task_not_found: [400, "task_not_exist"],
  invalid_parameter: [400, "invalid_request"],
  insufficient_user_quota: [403, "insufficient_user_quota"],
};

const ENVELOPES: Record<ProfileSettings["errors"], Envelope> = {
  spec: (error) => ({ status: error.status, body: error.toBody() }),

  ark(error, { requestId }) {
    const [byStatus, type] = ARK[error.status] ?? ["InternalServiceError", "InternalServerError"];
    const code = ARK_BY_CODE[error.code] ?? byStatus;
    const message = `${error.message} Request ID: ${requestId}`;
    return { status: error.status, body: { error: { code, message, param: "", type } } };
  },

  kling(error, { path, requestId, token }) {
    // It has videos only; what else is served here is not its.
    if (!isVideoPath(path)) return ENVELOPES.spec(error, { path, requestId, token });
    const refusal = (status: number, code: number) => ({
      status,
      body: { code, message: error.message, request_id: requestId },
    });
    if (error.code === "insufficient_user_quota") return refusal(429, 1102);
    if (error.status === 401 && token === null) return refusal(401, 1001);
    if (error.code === "not_found") return refusal(404, 1202);
    return refusal(error.status, KLING[error.status] ?? 5000);
  },

  bailian(error, { path, requestId, token }) {
    const isOwn = isVideoPath(path) || path.startsWith("/api/v1/");
    const inArrears = error.code === "insufficient_user_quota";
    const status = inArrears || (isOwn && error.code === "model_not_found") ? 400 : error.status;
    if (!isOwn) {
      const { error: described } = error.toBody();
      const arrears = inArrears && { type: "Arrearage", code: "Arrearage" };
      return { status, body: { error: { ...described, param: null, ...arrears }, request_id: requestId } };
    }
    const byStatus = BAILIAN[status] ?? "InternalError";
    const isKept = error.code === "task_is_not_pending";
    const code = inArrears ? "Arrearage" : isKept ? "UnsupportedOperation" : byStatus;
    const message = status === 401 && token === null ? "No API-key provided." : error.message;
    return { status, body: { code, message, request_id: requestId } };
  },

  newapi(error, { path, requestId }) {
    const message = `${error.message} (request id: ${requestId})`;
    const taskError = isVideoPath(path) ? NEW_API_TASK_ERRORS[error.code] : undefined;
    // Routes of tasks have an envelope of their own, and 400 for a task that is not there. What serves the film has it not.
    if (taskError && !path.endsWith("/content")) {
      const [status, code] = taskError;
      return { status, body: { code, message, data: null } };
    }
    // A model that the group does not have is a channel that is not there.
    const status = error.code === "model_not_found" ? 503 : error.status;
    // Only what the gateway itself knows has a code.
    const code = ["model_not_found", "insufficient_user_quota"].includes(error.code) ? error.code : "";
    return { status, body: { error: { message, type: "new_api_error", param: "", code } } };
  },
};

/** An error in the envelope of a profile. */
export function errorResponse(profile: ProfileSettings, error: APIError, refused: Refused): Answer {
  const { status, body } = ENVELOPES[profile.errors](error, refused);
  return Answer.json(body, { status, headers: error.headers });
}

function isVideoPath(path: string): boolean {
  return /^(\/kling\/v1)?\/videos?(\/|$)/.test(path);
}
