export {
  ModelGatewayHealthIndicator,
  type ModelGatewayHealthOptions,
} from "./health/model-gateway-health.indicator.js";
