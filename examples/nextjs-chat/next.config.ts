import type { NextConfig } from "next";

/** Only this repository needs any of this: here the gateway's packages are TypeScript sources, not installed builds. */
const config: NextConfig = {
  transpilePackages: ["@model-gateway/ai-sdk-provider", "@model-gateway/core"],
  webpack(webpackConfig) {
    webpackConfig.resolve.extensionAlias = { ".js": [".ts", ".tsx", ".js"] };
    return webpackConfig;
  },
  // Types are checked with the rest of the repository.
  typescript: { ignoreBuildErrors: true },
};

export default config;
