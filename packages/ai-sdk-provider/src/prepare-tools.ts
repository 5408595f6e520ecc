import type { LanguageModelV4CallOptions, SharedV4Warning } from "@ai-sdk/provider";
import type { FunctionTool, ToolChoice } from "@model-gateway/core";

/** Tools and tool choice for the request; nothing at all when there are no tools. */
export function prepareTools(
  { tools, toolChoice }: Pick<LanguageModelV4CallOptions, "tools" | "toolChoice">,
  warnings: SharedV4Warning[],
): { tools?: FunctionTool[]; tool_choice?: ToolChoice } {
  const functions: FunctionTool[] = [];
  for (const tool of tools ?? []) {
    if (tool.type !== "function") {
      warnings.push({ type: "unsupported", feature: `provider-defined tool ${tool.id}` });
      continue;
    }
    functions.push({
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
  const choice: ToolChoice =
    toolChoice.type === "tool"
      ? { type: "function", function: { name: toolChoice.toolName } }
      : toolChoice.type;
  return { tools: functions, tool_choice: choice };
}
