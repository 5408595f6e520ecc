import type { ModelGateway } from "@model-gateway/core";
import { type Connection, createDownloader } from "@model-gateway/core/download";

/** What every kind of model with files for results has of the client. */
export type ResultClient = Pick<ModelGateway, "baseURL" | "download" | "isOwnOrigin">;

export function resultClient(connection: Connection): ResultClient {
  return {
    baseURL: connection.baseURL,
    download: createDownloader(connection),
    isOwnOrigin: (url) => connection.isOwnOrigin(url),
  };
}
