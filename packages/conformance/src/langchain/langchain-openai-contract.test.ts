import { ChatOpenAI, OpenAIEmbeddings } from "@langchain/openai";
import { describeChatModel } from "./describe-chat-model.js";
import { describeEmbeddings } from "./describe-embeddings.js";

// The same contract over the package that people would otherwise point at the gateway. Its list of failures is what
// the README's comparison rests on.

describeChatModel({
  name: "ChatOpenAI",
  create: (model, { apiKey, baseURL }, fields) =>
    new ChatOpenAI({ model, apiKey, configuration: { baseURL }, ...fields }),
  expectedFailures: [
    "structured output shows its format to tracers", // `jsonSchema` is its default, whatever the server supports.
    "usage is on an invoked message", // `response_metadata.model` is missing.
    "usage is on the last chunk of a stream, once",
    "answers hold the model's reasoning as a block, invoked and streamed",
    "answers hold images as blocks",
    "the cache holds no key",
  ],
});

describeEmbeddings({
  name: "OpenAIEmbeddings",
  create: (model, { apiKey, baseURL }, fields) =>
    new OpenAIEmbeddings({ model, apiKey, configuration: { baseURL }, ...fields }),
  expectedFailures: [
    "requests hold the texts as they are", // Line breaks become spaces.
    "requests name no encoding that nobody asked for", // `encoding_format: "base64"`
  ],
});
