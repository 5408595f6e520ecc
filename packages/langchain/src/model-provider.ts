/** Names this integration in traces (`ls_provider`), in `response_metadata.model_provider` and in class ids. */
export const MODEL_PROVIDER = "model-gateway";
