export interface ServerSentEvent {
  type: string;
  data: string;
  /** What an `EventSource` that comes back tells. */
  id?: string;
  /** Milliseconds, as text, that it is to wait before it comes back. */
  retry?: string;
}

/** Reads a text/event-stream response; leaving the loop closes the connection. */
export async function* readEvents(response: Response): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const part of response.body as ReadableStream<Uint8Array>) {
    text += decoder.decode(part, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = readBlock(block);
      if (event !== undefined) yield event;
    }
  }
}

function readBlock(block: string): ServerSentEvent | undefined {
  const lines = block.split("\n");
  const values = (field: string) =>
    lines.filter((line) => line.startsWith(`${field}: `)).map((line) => line.slice(field.length + 2));
  const data = values("data");
  const [type = "message"] = values("event");
  const [id] = values("id");
  const [retry] = values("retry");
  if (data.length === 0 && type === "message") return undefined;
  return {
    type,
    data: data.join("\n"),
    ...(id !== undefined && { id }),
    ...(retry !== undefined && { retry }),
  };
}
