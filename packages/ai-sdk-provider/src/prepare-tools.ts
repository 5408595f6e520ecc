import type { LanguageModelV4CallOptions, SharedV4Warning } from "@ai-sdk/provider";
import type { FunctionTool, ToolChoice } from "@model-gateway/core";
import { wireFields } from "./wire-fields.js";

/**
 * Tools and tool choice for the request; nothing at all when there are no tools.
 *
 * @param mayForce whether the model takes a forced choice: else it gets the tools to choose from, and no others
 */
export function prepareTools(
  { tools, toolChoice }: Pick<LanguageModelV4CallOptions, "tools" | "toolChoice">,
  mayForce: boolean,
  warnings: SharedV4Warning[],
): { tools?: FunctionTool[]; tool_choice?: ToolChoice } {
  const functions: FunctionTool[] = [];
  for (const tool of tools ?? []) {
    if (tool.type !== "function") {
      warnings.push({ type: "unsupported", feature: `provider-defined tool ${tool.id}` });
      continue;
    }
    if (tool.inputExamples !== undefined && tool.inputExamples.length > 0) {
      const details = "The SDK's addToolInputExamplesMiddleware puts them into the description.";
      warnings.push({ type: "unsupported", feature: `inputExamples of the tool ${tool.name}`, details });
    }
    functions.push({
      ...wireFields(tool.providerOptions),
      type: "function",
      function: {
        name: tool.name,
        ...(tool.description === undefined ? {} : { description: tool.description }),
        parameters: tool.inputSchema as Record<string, unknown>,
        ...(tool.strict === undefined ? {} : { strict: tool.strict }),
      },
    });
  }
  if (functions.length === 0) return {};
  if (toolChoice === undefined) return { tools: functions };
  const named = toolChoice.type === "tool" ? toolChoice.toolName : undefined;
  const forced = named !== undefined || toolChoice.type === "required";
  if (forced && !mayForce) {
    const offered =
      named === undefined ? functions : functions.filter((tool) => tool.function.name === named);
    return { tools: offered, tool_choice: "auto" };
  }
  const choice: ToolChoice =
    toolChoice.type === "tool"
      ? { type: "function", function: { name: toolChoice.toolName } }
      : toolChoice.type;
  return { tools: functions, tool_choice: choice };
}
