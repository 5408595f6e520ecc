/** One thing that every store must do. */
export interface StoreContractCase {
  title: string;
  /** Rejects when the store does not. */
  run(): Promise<void>;
}
