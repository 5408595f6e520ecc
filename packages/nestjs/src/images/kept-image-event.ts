import { type Downloader, GatewayImage, type ImageStreamEvent } from "@model-gateway/core";

/** Events as they are kept: the gateway's own ones hold each picture a second time. */
export async function* withoutRaw(events: AsyncIterable<ImageStreamEvent>): AsyncIterable<object> {
  for await (const { raw: _raw, ...event } of events) yield event;
}

/** An event that was kept as JSON, with an image that can do what images can. */
export function reviveImageEvent(json: unknown, downloader: Downloader): ImageStreamEvent {
  const event = json as ImageStreamEvent;
  if (!("image" in event)) return event;
  return { ...event, image: new GatewayImage(event.image, downloader) };
}
