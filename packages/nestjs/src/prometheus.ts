export { MetricsModule, type MetricsModuleOptions } from "./prometheus/metrics.module.js";
