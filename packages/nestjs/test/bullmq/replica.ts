import { ModelGatewayModule, VideosService } from "@model-gateway/nestjs";
import { BullMqVideoTaskStore } from "@model-gateway/nestjs/bullmq";
import { NestFactory } from "@nestjs/core";
import { backends } from "../../src/bullmq/backends.js";
import type { ReplicaOptions } from "./start-replica.js";

// One process of an application that runs in several, for tests to kill.
const { gateway, store, onPostgres, submit }: ReplicaOptions = JSON.parse(process.argv[2] ?? "");

const { postgres } = backends;
const backend = onPostgres && postgres ? { backend: postgres } : {};
const module = ModelGatewayModule.forRoot({
  ...gateway,
  videos: { ...gateway.videos, store: new BullMqVideoTaskStore({ ...store, ...backend }) },
});
const app = await NestFactory.createApplicationContext(module, { logger: ["error"], abortOnError: false });
console.log("ready");
if (submit !== undefined) await app.get(VideosService).submit(submit.body, { key: submit.key });
