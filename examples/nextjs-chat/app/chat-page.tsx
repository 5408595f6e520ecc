"use client";

import { generateId, type UIMessage } from "ai";
import { useEffect, useState } from "react";
import { Chat } from "./chat";
import type { ChatMessage } from "./weather";

/** A chat that this tab remembers: its id stands in the address, its messages in the storage of the tab. */
interface KnownChat {
  id: string;
  messages: ChatMessage[];
}

/** @param api the route that answers */
export function ChatPage({ api }: { api: string }) {
  const [chat, setChat] = useState<KnownChat>();
  useEffect(() => {
    const id = location.hash.slice(1) || generateId();
    history.replaceState(null, "", `#${id}`);
    setChat({ id, messages: JSON.parse(sessionStorage.getItem(id) ?? "[]") });
  }, []);
  if (chat === undefined) return null;
  const keep = (messages: UIMessage[]) => sessionStorage.setItem(chat.id, JSON.stringify(messages));
  return <Chat api={api} {...chat} keep={keep} />;
}
