"use client";

import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport } from "ai";
import { useState } from "react";
import type { ChatMessage } from "./weather";

/** @param api the route that answers */
export function Chat({ api }: { api: string }) {
  const [transport] = useState(() => new DefaultChatTransport<ChatMessage>({ api }));
  const { messages, sendMessage, status, stop, error } = useChat({ transport });
  const [text, setText] = useState("");
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
          <button type="button" onClick={() => void stop()}>
            Stop
          </button>
        ) : (
          <button type="submit">Send</button>
        )}
      </form>
    </main>
  );
}
