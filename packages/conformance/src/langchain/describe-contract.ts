import type { BaseChatModel, BaseChatModelCallOptions } from "@langchain/core/language_models/chat_models";
import type { AIMessageChunk } from "@langchain/core/messages";
import { concat } from "@langchain/core/utils/stream";
import type { Emulator } from "@model-gateway/emulator";
import { describe, expect, it } from "vitest";

/** Any chat model of LangChain that binds tools. */
export type ContractModel = BaseChatModel<BaseChatModelCallOptions, AIMessageChunk> &
  Required<Pick<BaseChatModel<BaseChatModelCallOptions, AIMessageChunk>, "bindTools">>;

/** Where the models of a contract are served. */
export interface ContractGateway {
  emulator: Emulator;
  connection: { apiKey: string; baseURL: string };
}

/** Defines one case: what is promised, and the test of it. */
export type Case = (promise: string, test: () => Promise<void> | void) => void;
/** Defines the cases about one subject; `subject promise` is the full name of each. */
export type CaseGroup = (subject: string, define: (it: Case) => void) => void;

/**
 * Runs the cases of a contract. One that is expected to fail passes as long as it does, so that the list of expected
 * failures stays true; a name in it that is no case fails.
 */
export function describeContract(
  name: string,
  expectedFailures: readonly string[],
  defineAll: (group: CaseGroup) => void,
): void {
  describe(name, () => {
    const expected = new Set(expectedFailures);
    defineAll((subject, define) =>
      describe(subject, () =>
        define((promise, test) =>
          expected.delete(`${subject} ${promise}`) ? it.fails(promise, test) : it(promise, test),
        ),
      ),
    );
    it("fails in no case that there is not", () => {
      expect([...expected]).toEqual([]);
    });
  });
}

/** Adds up the chunks of a stream. */
export async function collect(stream: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> {
  let whole: AIMessageChunk | undefined;
  for await (const chunk of stream) whole = whole === undefined ? chunk : concat(whole, chunk);
  if (whole === undefined) throw new Error("The stream was empty.");
  return whole;
}
