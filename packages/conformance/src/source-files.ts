import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { ROOT } from "./wire-ledger.js";

/** What a source file says, taken apart: comments are not part of it. */
export interface SourceFile {
  /** Path from the repository's root. */
  path: string;
  /** Module specifiers of imports and exports, dynamic ones too. */
  imports: string[];
  /** Names of the functions that are called directly: `fetch`, `setTimeout`. */
  calls: string[];
  /** String literals and the fixed parts of templates, module specifiers left out. */
  strings: string[];
  numbers: number[];
}

/** Sources of a package without its tests. */
export function sourcesOf(folder: string): SourceFile[] {
  const base = join("packages", folder, "src");
  return readdirSync(join(ROOT, base), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file) && !/\.(test|test-d)\.tsx?$/.test(file))
    .map((file) => readSource(join(base, file)));
}

export function readSource(path: string, text = readFileSync(join(ROOT, path), "utf8")): SourceFile {
  const source: SourceFile = { path, imports: [], calls: [], strings: [], numbers: [] };
  const visit = (node: ts.Node): void => {
    if (
      (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) &&
      node.moduleSpecifier !== undefined
    ) {
      source.imports.push((node.moduleSpecifier as ts.StringLiteral).text);
      return;
    }
    if (ts.isCallExpression(node)) {
      const [first] = node.arguments;
      if (node.expression.kind === ts.SyntaxKind.ImportKeyword && first && ts.isStringLiteralLike(first)) {
        source.imports.push(first.text);
        return;
      }
      const callee = ts.isPropertyAccessExpression(node.expression) ? node.expression.name : node.expression;
      const owner = ts.isPropertyAccessExpression(node.expression)
        ? node.expression.expression.getText()
        : undefined;
      if (ts.isIdentifier(callee) && (owner === undefined || owner === "globalThis"))
        source.calls.push(callee.text);
    }
    if (ts.isImportTypeNode(node)) source.imports.push(node.argument.getText().replace(/["']/g, ""));
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      source.strings.push(node.text);
    }
    if (ts.isNumericLiteral(node)) source.numbers.push(Number(node.text));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return source;
}
