/** An event of a stream as it came. */
export interface StreamEvent {
  /** The name in its `event:` line. */
  event?: string;
  /** Parsed, but for the end marker. */
  data: Record<string, unknown> | "[DONE]";
}

/** Every event of a stream. */
export async function readEventStream(response: Response): Promise<StreamEvent[]> {
  const text = await response.text();
  return text
    .split("\n\n")
    .filter((block) => block !== "")
    .map((block) => {
      const event = /^event: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1] ?? "";
      return { event, data: data === "[DONE]" ? data : JSON.parse(data) };
    });
}
