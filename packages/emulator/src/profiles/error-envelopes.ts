import type { APIError } from "../http/api-error.js";
import type { ProfileSettings } from "./profile.js";

/** What is known of a request that is refused. */
interface Refused {
  path: string;
  requestId: string;
}

type Envelope = (error: APIError, refused: Refused) => { status: number; body: object };

/** Codes of the Ark family, by status. */
const ARK: Readonly<Record<number, [code: string, type: string]>> = {
  400: ["InvalidParameter", "BadRequest"],
  401: ["AuthenticationError", "Unauthorized"],
  403: ["AccessDenied", "Forbidden"],
  404: ["InvalidEndpointOrModel.NotFound", "NotFound"],
  429: ["RateLimitExceeded.EndpointRPMExceeded", "TooManyRequests"],
};

const ENVELOPES: Record<ProfileSettings["errors"], Envelope> = {
  spec: (error) => ({ status: error.status, body: error.toBody() }),

  ark(error, { requestId }) {
    const [code, type] = ARK[error.status] ?? ["InternalServiceError", "InternalServerError"];
    const message = `${error.message} Request ID: ${requestId}`;
    return { status: error.status, body: { error: { code, message, param: "", type } } };
  },

  newapi(error, { path, requestId }) {
    const message = `${error.message} (request id: ${requestId})`;
    // Routes of tasks have an envelope of their own, and 400 for a task that is not there.
    if (path.startsWith("/videos") && error.code === "task_not_found") {
      return { status: 400, body: { code: "task_not_exist", message, data: null } };
    }
    // A model that the group does not have is a channel that is not there.
    const status = error.code === "model_not_found" ? 503 : error.status;
    // Only what the gateway itself knows has a code.
    const code = ["model_not_found", "insufficient_user_quota"].includes(error.code) ? error.code : "";
    return { status, body: { error: { message, type: "new_api_error", param: "", code } } };
  },
};

/** An error in the envelope of a profile. */
export function errorResponse(profile: ProfileSettings, error: APIError, refused: Refused): Response {
  const { status, body } = ENVELOPES[profile.errors](error, refused);
  return Response.json(body, { status, headers: error.headers });
}
