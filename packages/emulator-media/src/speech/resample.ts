// Taps on either side of a sample, and positions between two samples that have taps of their own.
const REACH = 12;
const PHASES = 256;

// Where the filter begins to fall, as a share of half the lower sample rate.
const PASSBAND = 0.94;

/**
 * Changes the sample rate with a windowed sinc filter. Besides rates of files, this changes pitch: sound that is
 * said to have a higher rate than it has comes out shorter and higher.
 */
export function resample(samples: Int16Array, from: number, to: number): Int16Array {
  const step = from / to;
  const taps = makeTaps(PASSBAND * Math.min(1, 1 / step));
  const width = 2 * REACH;
  const result = new Int16Array(Math.round(samples.length / step));
  // Silence on both ends, so that no tap reaches outside.
  const padded = new Int16Array(samples.length + 2 * width);
  padded.set(samples, REACH);
  for (let index = 0; index < result.length; index++) {
    const position = index * step;
    const whole = Math.floor(position);
    const phase = Math.round((position - whole) * PHASES) * width;
    let sum = 0;
    for (let tap = 0; tap < width; tap++) {
      sum += padded[whole + tap + 1]! * taps[phase + tap]!;
    }
    // An Int16Array would wrap around.
    result[index] = Math.max(-32768, Math.min(32767, Math.round(sum)));
  }
  return result;
}

/** For every position between two samples, the weights of the samples around it. */
function makeTaps(cutoff: number): Float64Array {
  const width = 2 * REACH;
  const taps = new Float64Array((PHASES + 1) * width);
  for (let phase = 0; phase <= PHASES; phase++) {
    const row = taps.subarray(phase * width, (phase + 1) * width);
    for (let tap = 0; tap < width; tap++) {
      const distance = tap - REACH + 1 - phase / PHASES;
      const window = 0.5 + 0.5 * Math.cos((Math.PI * distance) / (REACH + 1));
      row[tap] = sinc(distance * cutoff) * window;
    }
    const sum = row.reduce((total, weight) => total + weight, 0);
    for (let tap = 0; tap < width; tap++) row[tap] = row[tap]! / sum;
  }
  return taps;
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}
