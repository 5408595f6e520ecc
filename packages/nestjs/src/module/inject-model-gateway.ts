import { Inject } from "@nestjs/common";
import { getModelGatewayToken } from "./model-gateway-token.js";

/**
 * Injects the client of an instance: everything core can do, such as `gateway.download()`.
 *
 * @param name the instance; left out for the default one
 * @example
 * constructor(@InjectModelGateway() private readonly gateway: ModelGateway) {}
 */
export function InjectModelGateway(name?: string): ReturnType<typeof Inject> {
  return Inject(getModelGatewayToken(name));
}
