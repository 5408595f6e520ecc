/** Processor time that reading a text may take, as a multiple of decoding, parsing and walking over as many characters. */
const BUDGET = 60;
/** What starting a call costs, whatever its answer is, as the same multiple of the longest text. */
const OVERHEAD = 10;
/** Eight times the text may take so many times as long: quadratic work takes 64. */
const GROWTH = 24;
/** A pause of the garbage collector is no work of ours: a slow reading is measured again. */
const TRIES = 4;

/**
 * Fails when the processor time of `run` grows faster than its text. Measured against plain work in the same process and
 * at the same moment, so that it does not depend on the machine or on what else is running there. `longest` is the length
 * up to which it is measured, in characters: what is quadratic with a small factor shows in long texts only.
 */
export async function expectLinearWork(
  run: (size: number) => Promise<void>,
  longest = 2 ** 18,
): Promise<void> {
  let before = Number.POSITIVE_INFINITY;
  for (const size of [longest / 64, longest / 8, longest]) {
    let failure: string | undefined;
    let used = 0;
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const unit = await cpuTimeOf(() => plainWork(longest));
      used = await cpuTimeOf(() => run(size));
      const budget = unit * (OVERHEAD + (BUDGET * size) / longest);
      const grown = used > unit * OVERHEAD && used > before * GROWTH;
      failure =
        used > budget
          ? `${ratio(used, unit)} times plain work`
          : grown
            ? `${ratio(used, before)} times as long as for an eighth`
            : undefined;
      if (failure === undefined) break;
    }
    if (failure !== undefined) throw new Error(`${size} characters took ${failure}.`);
    before = used;
  }
}

const ratio = (part: number, whole: number) => (part / whole).toFixed(1);

let alphabet = "";

async function plainWork(size: number): Promise<void> {
  if (alphabet.length !== size) alphabet = "abcdefgh".repeat(size / 8);
  const text = JSON.parse(
    new TextDecoder().decode(new TextEncoder().encode(JSON.stringify(alphabet))),
  ) as string;
  let sum = 0;
  for (let index = 0; index < text.length; index++) sum += text.charCodeAt(index);
  if (sum === 0) throw new Error("The text is empty.");
}

/** User and system time of this process, in microseconds. */
async function cpuTimeOf(work: () => Promise<void>): Promise<number> {
  const started = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(started);
  return user + system;
}
