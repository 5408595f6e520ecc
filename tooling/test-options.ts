/** What the tests of every project run with. */
export const testOptions = {
  // Real encoders and real servers on two cores: slow is not wrong.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 20_000 } },
  // A process for many files: half of their time went into importing the same frameworks again. So a file puts back
  // what it changes of the process: its environment, spies, clocks.
  isolate: false,
  // Two more than the cores that are expected: many files wait for processes and clocks for most of their time.
  maxWorkers: 4,
} as const;
