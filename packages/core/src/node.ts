/** What needs Node: `@model-gateway/core/node`. The main entry runs everywhere. */
export { FileBudgetStore } from "./disk/file-budget-store.js";
export { type SaveOptions, type SaveProgress, saveDownload } from "./download/save-download.js";
