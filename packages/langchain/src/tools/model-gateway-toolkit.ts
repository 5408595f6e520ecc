import { BaseToolkit, type StructuredToolInterface } from "@langchain/core/tools";
import type { ModelGateway } from "@model-gateway/core";
import { type ImageEditToolFields, imageEditTool } from "./image-edit-tool.js";
import { type ImageGenerationToolFields, imageGenerationTool } from "./image-generation-tool.js";
import { type SpeechToolFields, speechTool } from "./speech-tool.js";
import { type VideoToolFields, videoTool } from "./video-tool.js";

/** A model id, or the fields of the tool. */
export type ToolkitModel<Fields> = string | (Fields extends unknown ? Omit<Fields, "gateway"> : never);

/** Fields of {@link ModelGatewayToolkit}. */
export interface ModelGatewayToolkitFields {
  gateway: Pick<ModelGateway, "audio" | "download" | "images" | "videos">;
  /** Which tools there are, and with which models. */
  models: {
    image?: ToolkitModel<ImageGenerationToolFields>;
    imageEdit?: ToolkitModel<ImageEditToolFields>;
    speech?: ToolkitModel<SpeechToolFields>;
    video?: ToolkitModel<VideoToolFields>;
  };
  /** First distance between polls of video tasks in milliseconds. Default 5000. */
  intervalMs?: number;
  /** Of all tools that have none of their own: with a `budget` per tag, what is spent for it is counted apart. */
  budgetTag?: string;
}

/** Tools for images, speech and video over one gateway client: one for each model that is named. */
export class ModelGatewayToolkit extends BaseToolkit {
  readonly tools: StructuredToolInterface[];

  constructor({ gateway, models, intervalMs, budgetTag }: ModelGatewayToolkitFields) {
    super();
    const { image, imageEdit, speech, video } = models;
    this.tools = [
      ...(image === undefined ? [] : [imageGenerationTool({ budgetTag, ...fieldsOf(image), gateway })]),
      ...(imageEdit === undefined ? [] : [imageEditTool({ budgetTag, ...fieldsOf(imageEdit), gateway })]),
      ...(speech === undefined ? [] : [speechTool({ budgetTag, ...fieldsOf(speech), gateway })]),
      ...(video === undefined ? [] : [videoTool({ intervalMs, budgetTag, ...fieldsOf(video), gateway })]),
    ];
  }
}

function fieldsOf<Fields extends object>(model: string | Fields): Fields | { model: string } {
  return typeof model === "string" ? { model } : model;
}
