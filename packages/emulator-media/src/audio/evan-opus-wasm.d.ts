// The WebAssembly build within @evan/opus, whose own types cover its main entry only.
declare module "@evan/opus/wasm/index.mjs" {
  export class Encoder {
    constructor(options: {
      channels: 1 | 2;
      sample_rate: 8000 | 12000 | 16000 | 24000 | 48000;
      application: "voip" | "audio" | "restricted_lowdelay";
    });
    /** One frame of interleaved 16-bit samples, as long as one of Opus' frame sizes. */
    encode(samples: Int16Array): Uint8Array;
    /** Reads a control, or sets it; opus_defines.h has the numbers. */
    ctl(control: number, value?: number): number;
    /** Frees the encoder. */
    drop(): void;
  }
}
