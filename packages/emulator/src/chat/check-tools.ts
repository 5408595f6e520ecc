import type { Field } from "../checks/field.js";
import type { ResponseFormat, ToolChoice, ToolDefinition } from "./chat-request.js";

const MAX_TOOLS = 128;
const FUNCTION_NAME = /^[A-Za-z0-9_-]{1,64}$/;

export function checkTools(field: Field): ToolDefinition[] {
  const items = field.items() ?? [];
  if (items.length > MAX_TOOLS) field.refuse(`takes at most ${MAX_TOOLS} tools (got ${items.length})`);
  return items.map((item) => {
    const tool: ToolDefinition = { name: "", description: "", parameters: {} };
    if (!item.object()) return tool;
    item.get("type").oneOf(["function"]);
    const definition = item.get("function");
    if (!definition.object()) return tool;
    tool.name = checkFunctionName(definition.get("name"));
    tool.description = definition.getNullable("description").optional((text) => text.string()) ?? "";
    tool.parameters = definition.getNullable("parameters").optional((schema) => schema.object()) ?? {};
    definition.getNullable("strict").optional((strict) => strict.boolean());
    return tool;
  });
}

export function checkToolChoice(field: Field, tools: readonly ToolDefinition[]): ToolChoice {
  if (!field.present) return "auto";
  const choice = typeof field.value === "string" ? checkMode(field) : checkForced(field, tools);
  if (choice !== "auto" && choice !== "none" && tools.length === 0) field.refuse("needs tools");
  return choice;
}

function checkMode(field: Field): ToolChoice {
  return field.oneOf(["auto", "none", "required"]) ?? "auto";
}

function checkForced(field: Field, tools: readonly ToolDefinition[]): ToolChoice {
  if (!field.object()) return "auto";
  field.get("type").oneOf(["function"]);
  const definition = field.get("function");
  if (!definition.object()) return "auto";
  const name = definition.get("name").nonEmptyString();
  if (name === undefined) return "auto";
  if (!tools.some((tool) => tool.name === name)) {
    definition.get("name").refuse(`must be the name of one of the tools (got "${name.slice(0, 64)}")`);
  }
  return { name };
}

export function checkResponseFormat(field: Field): ResponseFormat {
  if (!field.present || !field.object()) return { type: "text" };
  const type = field.get("type").oneOf(["text", "json_object", "json_schema"]) ?? "text";
  if (type !== "json_schema") return { type };
  const format = field.get("json_schema");
  if (!format.object()) return { type: "text" };
  checkFunctionName(format.get("name"));
  format.getNullable("strict").optional((strict) => strict.boolean());
  return { type, schema: format.getNullable("schema").optional((schema) => schema.object()) ?? {} };
}

function checkFunctionName(field: Field): string {
  const name = field.string() ?? "";
  if (name !== "" && !FUNCTION_NAME.test(name)) {
    field.refuse("must have 1 to 64 characters from a-z, A-Z, 0-9, _ and -");
  }
  return name;
}
