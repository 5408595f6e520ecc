import type {
  BaseLanguageModelInput,
  StructuredOutputMethodOptions,
} from "@langchain/core/language_models/base";
import type { AIMessageChunk } from "@langchain/core/messages";
import type { Runnable } from "@langchain/core/runnables";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { isSerializableSchema, type SerializableSchema } from "@langchain/core/utils/standard_schema";
import { getSchemaDescription, type InteropZodType, isInteropZodSchema } from "@langchain/core/utils/types";
import { ConfigurationError, type ResponseFormat } from "@model-gateway/core";
import type { ChatModelGatewayCallOptions } from "./chat-model-options.js";
import { writeFormatInstructions } from "./downgrade-format.js";
import { createSchemaCheck } from "./schema-check.js";
import { type AnswerForm, StructuredAnswerParser } from "./structured-answer-parser.js";

// biome-ignore lint/suspicious/noExplicitAny: LangChain's own constraint; interfaces do not fit Record<string, unknown>.
export type StructuredRecord = Record<string, any>;

/** A Zod 3 or 4 schema, a Standard Schema that can be written as JSON Schema, or a JSON Schema. */
export type StructuredOutputSchema<T extends StructuredRecord> =
  | InteropZodType<T>
  | SerializableSchema<T>
  | StructuredRecord;

/** The part of the chat model that structured output is made from. */
export interface StructuredOutputModel {
  readonly structuredOutputs: "jsonSchema" | "jsonObject" | "prompt";
  readonly forcedToolChoice: boolean;
  withConfig(
    config: Partial<ChatModelGatewayCallOptions>,
  ): Runnable<BaseLanguageModelInput, AIMessageChunk, ChatModelGatewayCallOptions>;
}

const METHODS = ["functionCalling", "jsonSchema", "jsonMode", "prompt"] as const;
type Method = (typeof METHODS)[number];

/** The spellings of other integrations and of Python. */
const METHOD_ALIASES: Readonly<Record<string, Method>> = {
  function_calling: "functionCalling",
  json_schema: "jsonSchema",
  json_mode: "jsonMode",
};

/** Makes a runnable that answers with an object of the schema; see `ChatModelGateway.withStructuredOutput`. */
export function createStructuredOutput<T extends StructuredRecord>(
  model: StructuredOutputModel,
  schema: StructuredOutputSchema<T>,
  config: StructuredOutputMethodOptions<boolean> = {},
) {
  const method = readMethod(config.method);
  const { name, description, parameters, jsonSchema } = describeSchema(schema, config.name);
  const { strict } = config;
  const bind = (options: Partial<ChatModelGatewayCallOptions>) =>
    model.withConfig({
      ...options,
      ls_structured_output_format: { kwargs: { method }, schema: jsonSchema },
      // The parsers read plain text and tool calls.
      outputVersion: "v0",
    });
  const check = createSchemaCheck<T>(schema, parameters);
  const readAs = (form: AnswerForm, options: Partial<ChatModelGatewayCallOptions>) =>
    bind(options)
      .pipe(new StructuredAnswerParser<T>(form, check, config.includeRaw ?? false))
      .withConfig({ runName: "ChatModelGatewayStructuredOutput" });

  switch (method) {
    case "functionCalling": {
      const definition = {
        name,
        description: description ?? "",
        parameters,
        ...(strict === undefined ? {} : { strict }),
      };
      return readAs(
        { toolName: name },
        {
          tools: [{ type: "function", function: definition }],
          tool_choice: { type: "function", function: { name } },
          ...(model.forcedToolChoice ? {} : { formatInstructions: writeCallInstructions(name) }),
        },
      );
    }
    case "jsonSchema": {
      const format: ResponseFormat = {
        type: "json_schema",
        json_schema: {
          name,
          ...(description === undefined ? {} : { description }),
          schema: parameters,
          ...(strict === undefined ? {} : { strict }),
        },
      };
      const form = model.structuredOutputs === "prompt" ? "surrounded" : "exact";
      return readAs({ text: form }, { response_format: format });
    }
    case "jsonMode":
      // JSON mode alone says nothing of the schema, and some routes refuse it where no message asks for JSON.
      return readAs(
        { text: "exact" },
        { response_format: { type: "json_object" }, formatInstructions: writeFormatInstructions(parameters) },
      );
    case "prompt":
      return readAs({ text: "surrounded" }, { formatInstructions: writeFormatInstructions(parameters) });
  }
}

function readMethod(method: string = "functionCalling"): Method {
  const known = METHODS.find((candidate) => candidate === method) ?? METHOD_ALIASES[method];
  if (known !== undefined) return known;
  throw new ConfigurationError(
    `The structured output method ${JSON.stringify(method)} is unknown: use ${METHODS.join(", ")}.`,
  );
}

interface SchemaDescription {
  name: string;
  description: string | undefined;
  /** The schema that goes to the model. */
  parameters: Record<string, unknown>;
  /** The schema as the user gave it, as JSON Schema; for traces. */
  jsonSchema: Record<string, unknown>;
}

function describeSchema<T extends StructuredRecord>(
  schema: StructuredOutputSchema<T>,
  chosenName: string | undefined,
): SchemaDescription {
  const typed = isInteropZodSchema(schema) || isSerializableSchema(schema);
  if (!typed && "~standard" in schema) {
    throw new ConfigurationError(
      "This Standard Schema cannot be written as JSON Schema, which the model needs: use a library version that " +
        "supports it, or pass a JSON Schema.",
    );
  }
  const jsonSchema = toJsonSchema(schema) as Record<string, unknown>;
  // A whole function definition is taken as well; its schema is one level down.
  const definition = typed ? undefined : (schema as { parameters?: unknown });
  const parameters = isRecord(definition?.parameters) ? definition.parameters : jsonSchema;
  const { title, name = title } = (typed ? {} : schema) as { title?: unknown; name?: unknown };
  return {
    name: toFunctionName(chosenName ?? (typeof name === "string" ? name : "extract")),
    description: getSchemaDescription(schema as Record<string, unknown>) ?? readDescription(jsonSchema),
    parameters,
    jsonSchema,
  };
}

/** Names of functions and schemas on the wire: letters, digits, `_` and `-`, 64 at most. */
function toFunctionName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]+/g, "_").slice(0, 64);
}

function readDescription({ description }: Record<string, unknown>): string | undefined {
  return typeof description === "string" ? description : undefined;
}

/** For models that cannot be made to call a tool. */
function writeCallInstructions(name: string): string {
  return `Answer by calling the function ${name}, and with nothing else.`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
