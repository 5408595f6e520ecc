/** What can be said of a picture without knowing what it shows. */
export interface ImageDescription {
  /** Such as `image/png`. */
  mediaType: string;
  /** Size in pixels as it is shown, that is after the turn that a camera may have noted. */
  width: number;
  height: number;
  /**
   * Up to three plain English names of the colours that fill most of it, most frequent first: black, white, grey,
   * red, orange, brown, yellow, green, teal, blue, purple, pink. Empty for a picture that is all transparent.
   */
  colours: string[];
  brightness: "dark" | "medium" | "bright";
  /** How light its visible pixels are on average, from 0 for black to 100 for white. */
  luma: number;
  /** Whether it has an alpha channel. */
  hasAlpha: boolean;
}
