/** Which of the base addresses of a gateway a request goes to (API description, base addresses). */
export type AddressKind = "general" | "cdn" | "specialized" | "specializedCdn";
