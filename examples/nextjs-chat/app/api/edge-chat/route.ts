import { answerChat } from "../../answer-chat";

export const runtime = "edge";

export const POST = answerChat;
