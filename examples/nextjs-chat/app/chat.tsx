"use client";

import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport } from "ai";
import { useEffect, useState } from "react";
import type { ChatMessage } from "./weather";

interface ChatProps {
  /** The route that answers. */
  api: string;
  id: string;
  /** What was said before the page was loaded. */
  messages: ChatMessage[];
  keep(messages: ChatMessage[]): void;
}

export function Chat({ api, id, messages: earlier, keep }: ChatProps) {
  const stream = `${api}?key=${encodeURIComponent(id)}`;
  const [transport] = useState(
    () =>
      new DefaultChatTransport<ChatMessage>({
        api,
        // The edge runtime has one route for all; without this, it is /api/chat/ID/stream.
        ...(api === "/api/edge-chat" && { prepareReconnectToStreamRequest: () => ({ api: stream }) }),
      }),
  );
  const { messages, sendMessage, resumeStream, status, error } = useChat({
    id,
    transport,
    messages: earlier,
    resume: true,
  });
  useEffect(() => keep(messages), [keep, messages]);
  useEffect(() => {
    const resume = () => void resumeStream();
    window.addEventListener("online", resume);
    return () => window.removeEventListener("online", resume);
  }, [resumeStream]);
  const [text, setText] = useState("");
  // The answer goes on when the page only stops to read it.
  const stop = () =>
    void fetch(api === "/api/edge-chat" ? stream : `${api}/${id}/stream`, { method: "DELETE" });
  const busy = status === "submitted" || status === "streaming";

  return (
    <main>
      <h1>Model gateway chat</h1>
      {messages.map((message) => (
        <article key={message.id} data-role={message.role}>
          <strong>{message.role === "user" ? "You" : "Model"}</strong>
          {message.parts.map((part, index) => {
            const key = `${message.id}-${index}`;
            if (part.type === "text") return <p key={key}>{part.text}</p>;
            if (part.type === "tool-weather" && part.state === "output-available") {
              return (
                <p key={key} data-tool="weather">
                  <code>
                    weather in {part.output.city}: {part.output.celsius} °C
                  </code>
                </p>
              );
            }
            return null;
          })}
        </article>
      ))}
      {error && <p role="alert">The answer did not arrive. {error.message}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() === "" || busy) return;
          void sendMessage({ text });
          setText("");
        }}
      >
        <input
          aria-label="Question"
          placeholder="What is the weather in Paris?"
          size={50}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />{" "}
        {busy ? (
          <button type="button" onClick={stop}>
            Stop
          </button>
        ) : (
          <button type="submit">Send</button>
        )}
      </form>
    </main>
  );
}
