import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import { concat } from "@langchain/core/utils/stream";
import type { ChatModelGateway } from "../src/index.js";

class StreamingHandler extends BaseCallbackHandler {
  name = "streaming";
  readonly lc_prefer_streaming = true;
}

class EventHandler extends BaseCallbackHandler {
  name = "events";
  readonly lc_prefer_chat_model_stream_events = true;
}

/** Adds up the chunks of a stream. */
export async function collect(stream: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> {
  let whole: AIMessageChunk | undefined;
  for await (const chunk of stream) whole = whole === undefined ? chunk : concat(whole, chunk);
  if (whole === undefined) throw new Error("The stream was empty.");
  return whole;
}

/** The ways in which LangChain reads an answer as a stream, with or without the caller asking for one. */
export async function readEveryStreamedWay(
  model: ChatModelGateway,
): Promise<Record<string, AIMessage | AIMessageChunk>> {
  return {
    stream: await collect(await model.stream("Hi")),
    "invoke under a streaming handler": await model.invoke("Hi", { callbacks: [new StreamingHandler()] }),
    "invoke under an event handler": await model.invoke("Hi", { callbacks: [new EventHandler()] }),
    streamEvents: await model.streamEvents("Hi"),
  };
}

/** What must be the same however a message was read. */
export function facts(message: AIMessage | AIMessageChunk) {
  const { output_version: _version, ...metadata } = message.response_metadata as Record<string, unknown>;
  return {
    id: message.id,
    text: message.text,
    blocks: message.contentBlocks,
    toolCalls: message.tool_calls,
    usage: message.usage_metadata,
    metadata,
  };
}
