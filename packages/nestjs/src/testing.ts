export { ModelGatewayTesting, type SettleOptions } from "./testing/model-gateway-testing.js";
export {
  ModelGatewayTestingModule,
  type ModelGatewayTestingOptions,
  type TestGateway,
} from "./testing/model-gateway-testing.module.js";
export { type StoreContractCase, videoTaskStoreContract } from "./testing/video-task-store-contract.js";
