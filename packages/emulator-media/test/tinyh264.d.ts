// The parts that decode-frames.ts uses of a package without types.
declare module "tinyh264/es/TinyH264.js" {
  export default function loadModule(): Promise<{ readonly HEAPU8: Uint8Array }>;
}

declare module "tinyh264/es/TinyH264Decoder.js" {
  export default class TinyH264Decoder {
    constructor(
      module: { readonly HEAPU8: Uint8Array },
      onPictureReady: (picture: Uint8Array, width: number, height: number) => void,
    );
    decode(nal: Uint8Array): void;
    release(): void;
  }
}
