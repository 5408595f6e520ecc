import { chat } from "../../resumable-chat";

export const runtime = "edge";

// One route for all three: in the edge runtime, routes share no memory.
export const { POST, GET, DELETE } = chat;
