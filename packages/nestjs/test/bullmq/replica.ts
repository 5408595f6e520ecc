import type { ModelGateway } from "@model-gateway/core";
import {
  FolderFileStore,
  getModelGatewayToken,
  ModelGatewayModule,
  OnVideo,
  VideosService,
} from "@model-gateway/nestjs";
import { BullMqVideoTaskStore } from "@model-gateway/nestjs/bullmq";
import { Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { backends } from "../../src/bullmq/backends.js";
import type { ReplicaOptions } from "./start-replica.js";

// One process of an application that runs in several, for tests to kill.
const { gateway, store, onPostgres, submit, keepIn, hangsInHandler }: ReplicaOptions = JSON.parse(
  process.argv[2] ?? "",
);

const { postgres } = backends;
const backend = onPostgres && postgres ? { backend: postgres } : {};
const module = ModelGatewayModule.forRoot({
  ...gateway,
  videos: {
    ...gateway.videos,
    store: new BullMqVideoTaskStore({ ...store, ...backend }),
    ...(keepIn !== undefined && { keep: { store: new FolderFileStore({ directory: keepIn }) } }),
  },
});

class Shop {
  constructor(private readonly client: ModelGateway) {}

  async ship() {
    await this.client.models.list();
    await new Promise(() => {});
  }
}
// Called and not written before it: what compiles this knows no decorators.
const descriptor = Object.getOwnPropertyDescriptor(Shop.prototype, "ship");
if (descriptor !== undefined) OnVideo("succeeded")(Shop.prototype, "ship", descriptor);
const shop = {
  provide: Shop,
  useFactory: (client: ModelGateway) => new Shop(client),
  inject: [getModelGatewayToken()],
};
class AppModule {}
Module({ imports: [module], providers: hangsInHandler ? [shop] : [] })(AppModule);

const app = await NestFactory.createApplicationContext(AppModule, { logger: ["error"], abortOnError: false });
console.log("ready");
if (submit !== undefined) await app.get(VideosService).submit(submit.body, { key: submit.key });
