interface S3FileStoreErrorOptions extends ErrorOptions {
  status?: number | undefined;
  code?: string | undefined;
  arrived?: true;
}

/** An S3-compatible store refused, failed or was not reached: the message says what that means and what to do. */
export class S3FileStoreError extends Error {
  override readonly name = "S3FileStoreError";
  /** Of the answer; undefined when there was none. */
  declare readonly status?: number;
  /** The server's word for it, such as `AccessDenied`. */
  declare readonly code?: string;
  /** Set when the file itself has arrived, and waits in the spool folder of this process for the bucket. */
  declare readonly arrived?: true;

  constructor(message: string, { status, code, arrived, ...options }: S3FileStoreErrorOptions = {}) {
    super(message, options);
    if (status !== undefined) this.status = status;
    if (code !== undefined) this.code = code;
    if (arrived !== undefined) this.arrived = arrived;
  }
}
