import type { APIPromise, Model, ModelGateway, RequestOptions } from "@model-gateway/core";

/** The model list (`GET /models`). */
export class ModelsService {
  constructor(private readonly gateway: ModelGateway) {}

  /** The models that the key can reach, with everything the gateway sent. Errors are core's. */
  list(options?: RequestOptions): APIPromise<Model[]> {
    return this.gateway.models.list(options);
  }
}
