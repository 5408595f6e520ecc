/** One entry of the state: of which part of it, under which key, and what it is, as JSON has it. */
export interface KeptEntry {
  part: string;
  key: string;
  value: object;
}
