export function bundleSize(
  contents: string,
  resolveDir: string,
  conditions?: string[],
): Promise<{ first: number; all: number; parts: Map<string, number> }>;
