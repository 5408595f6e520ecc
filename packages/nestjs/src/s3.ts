export type { S3Credentials } from "./s3/s3-bucket.js";
export { S3FileStore, type S3FileStoreOptions } from "./s3/s3-file-store.js";
export { S3FileStoreError } from "./s3/s3-file-store-error.js";
