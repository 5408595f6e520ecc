/** Where models are asked, whatever for: chat, images, moderation. */
export const CHAT_PATH = "/chat/completions";
