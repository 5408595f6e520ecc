export { ModelGatewayModerationError } from "./middleware/model-gateway-moderation-error.js";
export {
  type ModelGatewayModerationOptions,
  modelGatewayModerationMiddleware,
} from "./middleware/model-gateway-moderation-middleware.js";
export type { ModerationStage, ModerationViolation } from "./middleware/moderation-violation.js";
