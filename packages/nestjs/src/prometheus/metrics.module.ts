import { ConfigurationError } from "@model-gateway/core";
import {
  Controller,
  type DynamicModule,
  Get,
  Inject,
  Module,
  type OnModuleInit,
  SetMetadata,
  StreamableFile,
  type Type,
  VERSION_NEUTRAL,
} from "@nestjs/common";
import { ModuleRef } from "@nestjs/core";
import { register as globalRegistry, type Registry } from "prom-client";
import { MetricsService } from "../metrics/metrics.service.js";
import { DEFAULT_INSTANCE, getModelGatewayToken } from "../module/model-gateway-token.js";
import { VideosService } from "../videos/videos.service.js";
import { GatewayMetrics } from "./gateway-metrics.js";

/** Options of `MetricsModule.forRoot`. */
export interface MetricsModuleOptions {
  /** Names of the instances to count. Default: the default one. */
  instances?: readonly string[];
  /** Where the metrics are registered. Default: the global registry of `prom-client`. */
  register?: Registry;
  /** Where the text of that registry is served, by `GET`; false for no route. Default `metrics`. */
  path?: string | false;
  /** Set on the controller of the route, such as `{ isPublic: true }` for a global guard. */
  metadata?: Record<string, unknown>;
  /** Models that get a label of their own, for each instance; those after them are counted as `other`. Default 100. */
  maxModels?: number;
}

const OPTION_NAMES: Record<keyof MetricsModuleOptions, true> = {
  instances: true,
  register: true,
  path: true,
  metadata: true,
  maxModels: true,
};
const DEFAULT_PATH = "metrics";
const DEFAULT_MAX_MODELS = 100;
const OPTIONS = Symbol("MetricsModuleOptions");

/**
 * Counts what the clients of an application do, for Prometheus: calls, durations, failures, tokens, streams, video tasks. Needs
 * `prom-client` beside it. No key, address, prompt or answer is in any of it; names of models are.
 *
 * @example
 * \@Module({ imports: [ModelGatewayModule.forRoot(), MetricsModule.forRoot()] })
 */
@Module({})
export class MetricsModule implements OnModuleInit {
  constructor(
    @Inject(ModuleRef) private readonly modules: ModuleRef,
    @Inject(OPTIONS) private readonly options: MetricsModuleOptions,
  ) {}

  /** @throws ConfigurationError for an option that does not exist or cannot be */
  static forRoot(options: MetricsModuleOptions = {}): DynamicModule {
    const { register = globalRegistry, path = DEFAULT_PATH, metadata = {} } = options;
    checkOptions(options);
    return {
      module: MetricsModule,
      controllers: path === false ? [] : [createMetricsController(path, metadata, register)],
      providers: [{ provide: OPTIONS, useValue: options }],
    };
  }

  onModuleInit(): void {
    const {
      register = globalRegistry,
      instances = [DEFAULT_INSTANCE],
      maxModels = DEFAULT_MAX_MODELS,
    } = this.options;
    const metrics = GatewayMetrics.in(register, maxModels);
    for (const instance of instances) {
      const find = <T>(provided: Type<T>) => this.find(instance, provided);
      metrics.observe(instance, find(MetricsService).events$, find(VideosService));
    }
  }

  private find<T>(instance: string, provided: Type<T>): T {
    try {
      return this.modules.get(getModelGatewayToken(instance, provided), { strict: false });
    } catch (cause) {
      throw new ConfigurationError(
        `MetricsModule is to count the instance "${instance}", and no ModelGatewayModule of this application has that name.`,
        { cause },
      );
    }
  }
}

function checkOptions(options: MetricsModuleOptions): void {
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(OPTION_NAMES, name)) continue;
    throw new ConfigurationError(
      `Option ${name} of MetricsModule is unknown. Known are ${Object.keys(OPTION_NAMES).join(", ")}.`,
    );
  }
  const { maxModels = DEFAULT_MAX_MODELS } = options;
  if (Number.isInteger(maxModels) && maxModels >= 0) return;
  throw new ConfigurationError(
    `Option maxModels of MetricsModule must be a whole number, and not ${String(maxModels)}.`,
  );
}

/** A class for each import: paths and registries differ. */
function createMetricsController(
  path: string,
  metadata: Record<string, unknown>,
  register: Registry,
): Type<unknown> {
  class MetricsController {
    async read(): Promise<StreamableFile> {
      const text = Buffer.from(await register.metrics());
      return new StreamableFile(text, { type: register.contentType });
    }
  }
  const handler = Object.getOwnPropertyDescriptor(MetricsController.prototype, "read");
  if (handler === undefined) throw new Error("The handler is defined above.");
  // Decorators as functions: the path is known at run time only.
  Get()(MetricsController.prototype, "read", handler);
  for (const [name, value] of Object.entries(metadata)) SetMetadata(name, value)(MetricsController);
  Controller({ path, version: VERSION_NEUTRAL })(MetricsController);
  return MetricsController;
}
