export { fileStoreContract } from "./testing/file-store-contract.js";
export { ModelGatewayTesting, type SettleOptions } from "./testing/model-gateway-testing.js";
export {
  ModelGatewayTestingModule,
  type ModelGatewayTestingOptions,
  type TestGateway,
} from "./testing/model-gateway-testing.module.js";
export { streamStoreContract } from "./testing/stream-store-contract.js";
export { videoTaskRetentionContract } from "./testing/video-task-retention-contract.js";
export { type StoreContractCase, videoTaskStoreContract } from "./testing/video-task-store-contract.js";
