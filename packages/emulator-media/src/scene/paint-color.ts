/** The colours that prompts name, as they are painted. */
export const PAINT_COLORS = {
  red: "#e5322d",
  orange: "#f58220",
  yellow: "#fbc91b",
  green: "#2fa84f",
  teal: "#17a5a5",
  blue: "#2f6fe0",
  purple: "#8a45c8",
  pink: "#f06fae",
  brown: "#8a5a34",
  black: "#26262b",
  white: "#f6f6f4",
  grey: "#8e9299",
  gold: "#dba520",
  silver: "#b9bfc7",
  beige: "#dcc7a0",
} as const;

/** A colour that a prompt can name. */
export type PaintColor = keyof typeof PAINT_COLORS;
