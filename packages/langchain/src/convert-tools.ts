import type { BindToolsInput } from "@langchain/core/language_models/chat_models";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { ConfigurationError, type FunctionTool, type ToolChoice } from "@model-gateway/core";

/**
 * Converts tools of every form LangChain binds: `tool()` and other structured tools, runnables as tools,
 * `{ name, description, schema }`, the wire format, a bare function definition, Anthropic's `input_schema`.
 * An object with a `type` of its own (a tool that the server runs) passes as it is.
 *
 * @param strict asks the model to keep to the schemas exactly; sent only when it is set
 */
export function convertTools(tools: readonly BindToolsInput[], strict?: boolean): FunctionTool[] {
  return tools.map((tool) => {
    const converted = toFunctionTool(tool);
    // A copy: the definition may be the caller's own object.
    return strict === undefined || converted.function === undefined
      ? converted
      : { ...converted, function: { ...converted.function, strict } };
  });
}

function toFunctionTool(tool: BindToolsInput): FunctionTool {
  const converted = convertToOpenAITool(tool) as Partial<FunctionTool> & {
    name?: unknown;
    description?: string;
    parameters?: FunctionTool["function"]["parameters"];
    input_schema?: FunctionTool["function"]["parameters"];
  };
  if (typeof converted.type === "string") return converted as FunctionTool;
  const { name, description, parameters, input_schema: inputSchema } = converted;
  if (typeof name !== "string") {
    throw new ConfigurationError(
      "A tool is neither a LangChain tool nor a tool definition: it needs a name and a schema, " +
        'such as tool(…, { name, schema }) or { type: "function", function: { name, parameters } }.',
    );
  }
  return { type: "function", function: { name, description, parameters: parameters ?? inputSchema } };
}

const WORDS: Readonly<Record<string, "auto" | "none" | "required">> = {
  auto: "auto",
  none: "none",
  any: "required",
  required: "required",
};

/**
 * Converts LangChain's `tool_choice`: `"auto"`, `"none"`, `"any"` or `"required"`, the name of a tool, or an
 * object in the wire format or in Anthropic's (`{ type: "tool", name }`, `{ type: "any" }`).
 */
export function convertToolChoice(
  choice: string | Record<string, unknown> | undefined,
): ToolChoice | undefined {
  if (choice === undefined || choice === null) return undefined;
  if (typeof choice === "string") return WORDS[choice] ?? { type: "function", function: { name: choice } };
  const { type, name } = choice;
  if (type === "tool" && typeof name === "string") return { type: "function", function: { name } };
  return WORDS[String(type)] ?? (choice as ToolChoice);
}
