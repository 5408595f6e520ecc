import { ConfigurationError } from "@model-gateway/core";
import { DiscoveryService, type MetadataScanner, type ModuleRef, type NestContainer } from "@nestjs/core";
import { ON_VIDEO_METADATA, type OnVideoMetadata } from "./on-video.js";
import type { VideoHandler } from "./video-handler.js";

type Method = (...given: unknown[]) => unknown;
type Wrapper = ReturnType<DiscoveryService["getProviders"]>[number];

/** What looks through the providers of an application. */
export interface HandlerSearch {
  discovery: DiscoveryService;
  scanner: MetadataScanner;
  modules: ModuleRef;
  /** Name of the instance that handlers are looked for of. */
  instance: string;
  /** The instance that handlers belong to which name none. */
  defaultInstance: string;
}

/**
 * The methods of providers and controllers that bear `@OnVideo`, in the order in which Nest knows them.
 *
 * @throws ConfigurationError when two of them have one name, or one is no singleton
 */
export function discoverVideoHandlers(search: HandlerSearch): VideoHandler[] {
  const handlers = new Map<string, VideoHandler & { owner: unknown }>();
  for (const wrapper of wrappers(search)) {
    for (const [method, { name, statuses }] of decorated(wrapper, search)) {
      const owner: unknown = wrapper.instance;
      const handler = name ?? `${prototypeOf(wrapper)?.constructor.name}.${method}`;
      if (!wrapper.isDependencyTreeStatic())
        throw new ConfigurationError(
          `@OnVideo handler ${handler} belongs to a provider per request: nobody asks when a video ends. Move it to a ` +
            "singleton.",
        );
      const known = handlers.get(handler);
      // One provider may be known by several tokens.
      if (known !== undefined && known.owner === owner) continue;
      if (known !== undefined)
        throw new ConfigurationError(
          `There are two @OnVideo handlers of the name ${handler}: nobody could tell which was called. Provide the class ` +
            "once and export it, or give each its own name, as in @OnVideo(…, { name }).",
        );
      handlers.set(handler, {
        name: handler,
        statuses: new Set(statuses),
        owner,
        handle: (record, delivery) => (owner as Record<string, Method>)[method]?.(record, delivery),
      });
    }
  }
  return [...handlers.values()];
}

function wrappers({ discovery, modules }: HandlerSearch): Wrapper[] {
  try {
    return [...discovery.getProviders(), ...discovery.getControllers()];
  } catch (error) {
    // Tools that put a plain Proxy around every provider make Nest's own Map of modules unreadable.
    const { container } = modules as unknown as { container?: NestContainer };
    if (container === undefined) throw error;
    const bare = new DiscoveryService(container.getModules());
    return [...bare.getProviders(), ...bare.getControllers()];
  }
}

function* decorated(
  wrapper: Wrapper,
  { scanner, instance, defaultInstance }: HandlerSearch,
): Generator<[string, OnVideoMetadata]> {
  const prototype = prototypeOf(wrapper);
  if (prototype === undefined) return;
  for (const method of scanner.getAllMethodNames(prototype)) {
    const metadata = Reflect.getMetadata(
      ON_VIDEO_METADATA,
      (prototype as Record<string, Method>)[method] ?? {},
    );
    if (metadata === undefined) continue;
    if ((metadata.instance ?? defaultInstance) === instance) yield [method, metadata];
  }
}

/** Of providers per request there is no instance, but a class. */
function prototypeOf({ instance, metatype }: Wrapper): object | undefined {
  if (typeof instance === "object" && instance !== null) return Object.getPrototypeOf(instance) ?? undefined;
  return typeof metatype === "function" ? metatype.prototype : undefined;
}
