import { type ByteBody, createByteBody } from "../streams/byte-body.js";
import { ByteReader } from "../streams/byte-reader.js";
import { APIPromise } from "./api-promise.js";
import type { Reading } from "./attempt.js";
import type { Call, RequestOptions } from "./call.js";
import { errorFromUnreadable, streamErrorsOf } from "./call-errors.js";
import { expectBinary } from "./expect-binary.js";
import { type Sender, withResponse } from "./sender.js";

/** Largest answer that is passed on as bytes. */
const MAX_BINARY_BYTES = 2 * 2 ** 30;

/** Sends a call and reads its answer as bytes. Text of any kind is an error, whatever its status and type. */
export function openBytes<T>(
  sender: Sender,
  call: Call,
  options: RequestOptions | undefined,
  wrap: (body: ByteBody, contentType: string | undefined) => T,
): APIPromise<T> {
  const reading: Reading<Uint8Array> = {
    accept: "*/*",
    streams: "any",
    streamLimit: "whole",
    createReader: (context) => new ByteReader(MAX_BINARY_BYTES, streamErrorsOf(context)),
  };
  return new APIPromise(
    sender.run(call, options ?? {}, reading, async ({ answer: { stream }, info, context }) => {
      if (stream === undefined) throw errorFromUnreadable("no body", info.status, undefined, context);
      await expectBinary(stream, info, context);
      return withResponse(wrap(createByteBody(stream), info.headers.get("content-type")), info);
    }),
  );
}
