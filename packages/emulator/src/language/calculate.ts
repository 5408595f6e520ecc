const EXPRESSION =
  /[-+(]*\s*\d(?:[\d.,]*\d)?(?:\s*%)?(?:\s*(?:\*\*|[-+*/×÷^x%])\s*[-(]*\s*\d(?:[\d.,]*\d)?\s*\)*)+/gi;
const LONGEST_EXPRESSION = 200;

const SPOKEN: readonly [RegExp, string][] = [
  [/\bdivided by\b/gi, "/"],
  [/\b(?:multiplied by|times)\b/gi, "*"],
  [/\bplus\b/gi, "+"],
  [/\bminus\b/gi, "-"],
  [/\bto the power of\b/gi, "^"],
  [/加上?(?=\s*\d)/g, "+"],
  [/减去?(?=\s*\d)/g, "-"],
  [/乘以?(?=\s*\d)/g, "*"],
  [/除以(?=\s*\d)/g, "/"],
];

/** The arithmetic expressions in a text, spoken ones in signs. Dates and version numbers are none. */
export function findExpressions(text: string): string[] {
  let signs = text;
  for (const [words, sign] of SPOKEN) signs = signs.replace(words, sign);
  return (signs.match(EXPRESSION) ?? [])
    .map((expression) => balance(expression.trim()))
    .filter((expression) => !/^\d{4}-\d{1,2}-\d{1,2}$|^\d{1,2}\/\d{1,2}\/\d{2,4}$/.test(expression))
    .filter((expression) => expression.length <= LONGEST_EXPRESSION && calculate(expression) !== undefined);
}

/** The value of an arithmetic expression, or undefined when it is none or has no finite value. */
export function calculate(expression: string): number | undefined {
  const tokens = expression
    .replace(/(?<=\d),(?=\d{3})/g, "")
    .replaceAll("×", "*")
    .replaceAll("÷", "/")
    .replace(/x/gi, "*")
    .replaceAll("**", "^")
    .match(/\d+(?:\.\d+)?|[-+*/^%()]|\S/g);
  if (!tokens) return undefined;
  const parser = new ExpressionParser(tokens);
  const value = parser.parse();
  return value !== undefined && Number.isFinite(value) ? Number(value.toPrecision(12)) : undefined;
}

function balance(expression: string): string {
  const open = expression.split("(").length - 1;
  const close = expression.split(")").length - 1;
  if (close > open)
    return expression.replace(/\)+$/, (tail) => tail.slice(0, Math.max(0, tail.length - (close - open))));
  return open > close ? expression.replace(/^\(+/, (head) => head.slice(open - close)) : expression;
}

/** Recursive descent over sums, products, powers and brackets. */
class ExpressionParser {
  private position = 0;
  private readonly tokens: readonly string[];

  constructor(tokens: readonly string[]) {
    this.tokens = tokens;
  }

  parse(): number | undefined {
    const value = this.sum();
    return this.position === this.tokens.length ? value : undefined;
  }

  private sum(): number | undefined {
    let left = this.product();
    for (
      let sign = this.accept("+", "-");
      sign !== undefined && left !== undefined;
      sign = this.accept("+", "-")
    ) {
      const right = this.product();
      if (right === undefined) return undefined;
      left = sign === "+" ? left + right : left - right;
    }
    return left;
  }

  private product(): number | undefined {
    let left = this.power();
    for (
      let sign = this.accept("*", "/", "%");
      sign !== undefined && left !== undefined;
      sign = this.accept("*", "/", "%")
    ) {
      const right = this.power();
      if (right === undefined) return undefined;
      left = sign === "*" ? left * right : sign === "/" ? left / right : left % right;
    }
    return left;
  }

  private power(): number | undefined {
    const base = this.atom();
    if (base === undefined || this.accept("^") === undefined) return base;
    const exponent = this.power();
    return exponent === undefined ? undefined : base ** exponent;
  }

  private atom(): number | undefined {
    const sign = this.accept("-", "+");
    if (sign !== undefined) {
      const value = this.atom();
      return value === undefined ? undefined : sign === "-" ? -value : value;
    }
    if (this.accept("(") !== undefined) {
      const value = this.sum();
      return this.accept(")") === undefined ? undefined : value;
    }
    const token = this.tokens[this.position];
    if (token === undefined || !/^\d/.test(token)) return undefined;
    this.position += 1;
    return Number(token);
  }

  private accept(...wanted: string[]): string | undefined {
    const token = this.tokens[this.position];
    if (token === undefined || !wanted.includes(token)) return undefined;
    this.position += 1;
    return token;
  }
}
