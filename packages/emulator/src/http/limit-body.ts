import { APIError } from "./api-error.js";

/** The same request; reading its body fails once it is larger. @throws APIError 413, also while it is read */
export function limitBody(request: Request, maxBytes: number): Request {
  const tooLarge = () =>
    new APIError(`The request body has more than ${maxBytes} bytes.`, {
      status: 413,
      code: "body_too_large",
    });
  if (Number(request.headers.get("content-length")) > maxBytes) throw tooLarge();
  if (!request.body) return request;
  let left = maxBytes;
  const body = request.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        left -= piece.byteLength;
        if (left < 0) controller.error(tooLarge());
        else controller.enqueue(piece);
      },
    }),
  );
  const { url, method, headers } = request;
  // The platform's types lack the member without which it takes no stream.
  return new Request(url, { method, headers, body, duplex: "half" } as RequestInit);
}
