import { ModelGateway } from "@model-gateway/core";
import { openTelemetry, withTrace } from "@model-gateway/core/opentelemetry";
import { Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { trace } from "@opentelemetry/api";
import { NodeTracerProvider, type ReadableSpan, type SpanProcessor } from "@opentelemetry/sdk-trace-node";
import { lastValueFrom } from "rxjs";
import { JournalVideoTaskStore, ModelGatewayModule, OnVideo, VideosService } from "../../src/index.js";

/** What the program is started with. */
export interface TracedApplicationArgument {
  apiKey: string;
  baseURL: string;
  directory: string;
  /** Whether it submits the video, or follows the one that another process submitted. */
  submits: boolean;
}

/** A span that ended in the program. */
export interface TracedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentId: string | undefined;
}

const KEY = "order-1";
const argument = JSON.parse(process.argv[2] ?? "") as TracedApplicationArgument;
const { submits, directory, ...connection } = argument;

/** An exporter: tells of each span, so that those of a process that is killed are known. */
const telling: SpanProcessor = {
  onStart: () => undefined,
  onEnd(span: ReadableSpan) {
    const { name, parentSpanContext } = span;
    const { traceId, spanId } = span.spanContext();
    process.send?.({ name, traceId, spanId, parentId: parentSpanContext?.spanId } satisfies TracedSpan);
  },
  forceFlush: async () => undefined,
  shutdown: async () => undefined,
};

new NodeTracerProvider({ spanProcessors: [telling] }).register();
const store = new JournalVideoTaskStore({ directory });
let shipped = () => {};
const isShipped = new Promise<void>((resolve) => {
  shipped = resolve;
});
class Shop {
  async ship() {
    // Whatever the handler waited for, it is where it was.
    await new Promise(setImmediate);
    trace.getTracer("shop").startSpan("ship").end();
    shipped();
  }
}
// Called and not written before it: what compiles this knows no decorators.
const descriptor = Object.getOwnPropertyDescriptor(Shop.prototype, "ship");
if (descriptor !== undefined) OnVideo("succeeded")(Shop.prototype, "ship", descriptor);
class AppModule {}
Module({
  imports: [
    ModelGatewayModule.forRoot({
      ...{ ...connection, tracer: openTelemetry() },
      videos: { store, intervalMs: 5, ratePerSecond: 1_000 },
    }),
  ],
  providers: [Shop],
})(AppModule);
const app = await NestFactory.create(AppModule, { logger: ["error"] });
await app.listen(0, "127.0.0.1");
const videos = app.get(VideosService);

if (submits) {
  await trace.getTracer("shop").startActiveSpan("order", async (span) => {
    const content = [{ type: "text" as const, text: `${KEY} [[stuck]]` }];
    await videos.submit({ model: "local-video-2.0", content, duration: 4 }, { key: KEY });
    span.end();
  });
}
const { handle, task } = await lastValueFrom(videos.watch$(KEY));
await withTrace(handle?.trace, async () => {
  const file = await app.get(ModelGateway).download(task?.videos[0]?.url ?? "");
  await file.bytes();
  trace.getTracer("shop").startSpan("mail the customer").end();
});
await isShipped;
await app.close();
process.disconnect?.();
