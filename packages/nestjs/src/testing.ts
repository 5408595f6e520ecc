export { type StoreContractCase, streamStoreContract } from "@model-gateway/core/testing";
export { fileStoreContract } from "./testing/file-store-contract.js";
export { ModelGatewayTesting, type SettleOptions } from "./testing/model-gateway-testing.js";
export {
  ModelGatewayTestingModule,
  type ModelGatewayTestingOptions,
  type TestGateway,
} from "./testing/model-gateway-testing.module.js";
export { videoTaskRetentionContract } from "./testing/video-task-retention-contract.js";
export { videoTaskStoreContract } from "./testing/video-task-store-contract.js";
