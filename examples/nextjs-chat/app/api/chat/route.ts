import { chat } from "../../resumable-chat";

export const { POST } = chat;
