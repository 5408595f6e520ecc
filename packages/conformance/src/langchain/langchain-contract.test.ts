import { ChatModelGateway, ModelGatewayEmbeddings } from "@model-gateway/langchain";
import { describeChatModel } from "./describe-chat-model.js";
import { describeEmbeddings } from "./describe-embeddings.js";

describeChatModel({
  name: "ChatModelGateway",
  create: (model, connection, fields) => new ChatModelGateway({ model, ...connection, ...fields }),
});

describeEmbeddings({
  name: "ModelGatewayEmbeddings",
  create: (model, connection, fields) => new ModelGatewayEmbeddings({ model, ...connection, ...fields }),
});
