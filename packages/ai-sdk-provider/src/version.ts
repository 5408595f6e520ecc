declare const __PACKAGE_VERSION__: string | undefined;

/** Version of this package; the build writes it in, sources run as `dev`. */
export const VERSION: string = typeof __PACKAGE_VERSION__ === "string" ? __PACKAGE_VERSION__ : "dev";
