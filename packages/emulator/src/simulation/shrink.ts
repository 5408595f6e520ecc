import { type RunResult, type RunSettings, runWorld } from "./run-world.js";

/** So many runs at most are spent on making a story shorter. */
const MAX_RUNS = 200;

/**
 * Looks for the smallest run of a seed in which the same thing goes wrong: the fewest faults, then the least of everything
 * that the scenario counts.
 */
export async function shrink(settings: RunSettings, failed: RunResult): Promise<RunResult> {
  const wrong = nameOf(failed.violation);
  let best = failed;
  let runs = 0;
  const without = new Set<string>();
  const extents = new Map<string, number>();
  const attempt = async (leftOut: ReadonlySet<string>, sizes: ReadonlyMap<string, number>) => {
    if (runs >= MAX_RUNS) return false;
    runs += 1;
    const result = await runWorld({ ...settings, without: leftOut, extents: sizes });
    if (nameOf(result.violation) !== wrong) return false;
    best = result;
    return true;
  };
  for (let isSmaller = true; isSmaller && runs < MAX_RUNS; ) {
    isSmaller = false;
    for (const { name, min, value } of [...best.extents]) {
      for (const smaller of new Set([min, Math.floor((min + value) / 2), value - 1])) {
        if (smaller < min || smaller >= value) continue;
        if (!(await attempt(without, new Map([...extents, [name, smaller]])))) continue;
        extents.set(name, smaller);
        isSmaller = true;
        break;
      }
    }
    for (
      let size = Math.ceil(best.faults.length / 2);
      size >= 1;
      size = size === 1 ? 0 : Math.ceil(size / 2)
    ) {
      for (let at = 0; at < best.faults.length; ) {
        const some = best.faults.slice(at, at + size).map(({ id }) => id);
        if (await attempt(new Set([...without, ...some]), extents)) {
          for (const id of some) without.add(id);
          isSmaller = true;
        } else at += size;
      }
    }
  }
  return best;
}

/** The invariant that does not hold; its details may differ. */
function nameOf(violation: string | undefined): string | undefined {
  return violation?.split(":", 1)[0];
}
