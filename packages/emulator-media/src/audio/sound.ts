/** Sound as 16-bit samples of one channel. */
export interface Sound {
  samples: Int16Array;
  sampleRate: number;
}
