import { hashText } from "../language/hash-text.js";
import { textFeatures } from "../language/text-features.js";

/**
 * A unit vector for a text by signed feature hashing: texts that share words, word parts or concepts point the
 * same way. It finds documents; it is no substitute for a trained model.
 *
 * @param seed another seed gives another, equally good space
 */
export function embedText(text: string, dimensions: number, seed: number): number[] {
  const vector = new Float64Array(dimensions);
  const features = new Map(textFeatures(text));
  // A text without words still needs a direction.
  if (features.size === 0) features.set(`raw:${text}`, 1);
  for (const [feature, weight] of features) {
    const hash = hashText(feature, seed);
    // The sign comes from bits that do not decide the place.
    const sign = hashText(feature, seed + 1) & 1 ? 1 : -1;
    vector[hash % dimensions] = (vector[hash % dimensions] ?? 0) + sign * weight;
  }
  let squares = 0;
  for (let place = 0; place < dimensions; place++) squares += (vector[place] ?? 0) ** 2;
  const length = Math.sqrt(squares);
  // Opposite features may meet in one place; the vector must not vanish.
  if (length === 0) {
    vector[0] = 1;
    return Array.from(vector);
  }
  return Array.from(vector.map((value) => value / length));
}
