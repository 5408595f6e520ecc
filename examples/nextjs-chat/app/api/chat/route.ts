import { answerChat } from "../../answer-chat";

export const POST = answerChat;
