import type { DynamicModule, INestApplication, NestApplicationOptions, Provider, Type } from "@nestjs/common";
import { Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { onTestFinished } from "vitest";

export interface BootedApp {
  app: INestApplication;
  url: string;
}

interface BootOptions extends NestApplicationOptions {
  controllers?: Type[];
  providers?: Provider[];
  configure?: (app: INestApplication) => void;
  /** Default: any that is free. */
  port?: number;
}

/** Starts a real application on a free port and closes it when the test is over. */
export async function bootApp(
  imports: Array<DynamicModule | Type>,
  { controllers = [], providers = [], configure, port = 0, ...options }: BootOptions = {},
): Promise<BootedApp> {
  class AppModule {}
  Module({ imports, controllers, providers })(AppModule);
  const app = await NestFactory.create(AppModule, {
    logger: false,
    abortOnError: false,
    forceCloseConnections: true,
    ...options,
  });
  onTestFinished(() => app.close());
  configure?.(app);
  await app.listen(port, "127.0.0.1");
  return { app, url: await app.getUrl() };
}
