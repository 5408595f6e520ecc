import { SingleBar } from "cli-progress";

/** A file a step leaves behind, relative to the output folder, or a remark. */
export interface StepResult {
  file?: string;
}

/** One thing the demo shows. */
export interface Step {
  what: string;
  package: string;
  run: () => Promise<StepResult>;
}

/** A row of the closing table. */
export interface StepReport {
  what: string;
  package: string;
  seconds: number;
  file: string;
  ok: boolean;
}

/** Runs a step; a failure is told and kept for the table instead of ending the demo. */
export async function runStep(step: Step): Promise<StepReport> {
  console.log(`\n▶ ${step.what}  [${step.package}]`);
  const started = performance.now();
  const report = (ok: boolean, file = "") => {
    const seconds = (performance.now() - started) / 1000;
    return { what: step.what, package: step.package, seconds, file, ok };
  };
  try {
    const { file } = await step.run();
    return report(true, file);
  } catch (error) {
    console.error(`  failed: ${error instanceof Error ? error.message : String(error)}`);
    return report(false);
  }
}

/** Fails the step with a sentence that says what was expected. */
export function expectThat(condition: boolean, expectation: string): asserts condition {
  if (!condition) throw new Error(`Expected ${expectation}.`);
}

/** A progress bar on terminals, a line per change elsewhere. */
export function startProgress(
  label: string,
  total: number,
): { update(value: number, note?: string): void; stop(): void } {
  const bar = new SingleBar({
    format: `  ${label} {bar} {percentage}% {note}`,
    barCompleteChar: "█",
    barIncompleteChar: "░",
    barsize: 28,
    hideCursor: true,
    noTTYOutput: true,
    notTTYSchedule: 60_000,
  });
  bar.start(total, 0, { note: "" });
  return {
    update(value, note = "") {
      bar.update(value, { note });
      if (!process.stdout.isTTY) console.log(`  ${label} ${Math.round((value / total) * 100)}% ${note}`);
    },
    stop: () => bar.stop(),
  };
}
