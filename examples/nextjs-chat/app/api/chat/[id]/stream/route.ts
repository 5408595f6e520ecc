import { chat } from "../../../../resumable-chat";

export const { GET, DELETE } = chat;
