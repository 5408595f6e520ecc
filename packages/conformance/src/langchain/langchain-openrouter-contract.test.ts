import { ChatOpenRouter } from "@langchain/openrouter";
import { describeChatModel } from "./describe-chat-model.js";

// The same contract over LangChain's newest package for a gateway of its kind; it has no embeddings.

describeChatModel({
  name: "ChatOpenRouter",
  create: (model, { apiKey, baseURL }, fields) => new ChatOpenRouter({ model, apiKey, baseURL, ...fields }),
  expectedFailures: [
    "structured output shows its format to tracers", // The method is spelled `function_calling`.
    "tools are called in a stream, with usage", // The usage of streams is lost.
    "usage is on the last chunk of a stream, once",
    "answers hold images as blocks",
    "retries are as many as the call says", // It repeats all the same.
    "the cache tells models apart", // One model is answered with what another said.
  ],
});
