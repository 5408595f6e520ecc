export interface ServerSentEvent {
  type: string;
  data: string;
  id?: string;
}

/** Reads a text/event-stream response; leaving the loop closes the connection. */
export async function* readEvents(response: Response): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const part of response.body as ReadableStream<Uint8Array>) {
    text += decoder.decode(part, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) yield readBlock(block);
  }
  if (text !== "") throw new Error(`The answer ends within an event: ${text}`);
}

export async function allEvents(response: Response): Promise<ServerSentEvent[]> {
  const events: ServerSentEvent[] = [];
  for await (const event of readEvents(response)) events.push(event);
  return events;
}

function readBlock(block: string): ServerSentEvent {
  const values = (field: string) =>
    block.split("\n").flatMap((line) => (line.startsWith(`${field}:`) ? [line.slice(field.length + 1)] : []));
  const text = (field: string) => values(field).map((value) => value.replace(/^ /, ""));
  const [type = "message"] = text("event");
  const [id] = text("id");
  return { type, data: text("data").join("\n"), ...(id !== undefined && { id }) };
}
