/**
 * How strict and in what shape the gateway answers:
 * - `spec`: as the API is described, everything that it marks required, bounded or enumerated checked;
 * - `tolerant`: what clients of the chat wire format send beside it is taken for what they mean, or passed over.
 */
export const PROFILES = ["spec", "tolerant"] as const;
export type Profile = (typeof PROFILES)[number];
