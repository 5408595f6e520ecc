/** A piece of a body and when it went out, in real milliseconds since the request came. */
export interface RecordedPiece {
  atMs: number;
  bytes: Uint8Array;
}

/** A field of a form: its text, or of a file what it is. */
export interface RecordedField {
  name: string;
  text?: string;
  file?: { name: string; type: string; size: number };
}

/** What came and what went, as bytes. */
export interface RecordedExchange {
  /** The URL that was asked for, whole. */
  url: string;
  /** Without the key. */
  requestHeaders: Readonly<Record<string, string>>;
  /** As it came, where it was text. */
  requestText?: string;
  /** The fields of a form, of files without their bytes. */
  requestForm?: readonly RecordedField[];
  responseHeaders?: Readonly<Record<string, string>>;
  pieces: readonly RecordedPiece[];
  /** Bodies were more than may be kept, and this one's are gone. */
  dropped: boolean;
}

/** Headers whose values are secrets. */
const SECRET = new Set(["authorization", "cookie", "x-api-key", "proxy-authorization"]);

/** Keeps one exchange while it happens. */
export class Recording {
  private readonly exchange: RecordedExchange & { pieces: RecordedPiece[] };
  private readonly started = performance.now();
  private readonly onGrow: (bytes: number) => void;
  bytes = 0;

  private constructor(exchange: RecordedExchange, onGrow: (bytes: number) => void) {
    this.exchange = { ...exchange, pieces: [...exchange.pieces] };
    this.onGrow = onGrow;
  }

  /** @param onGrow told of each byte that is kept */
  static of(request: Request, onGrow: (bytes: number) => void): Recording {
    const requestHeaders = shownHeaders(request.headers);
    return new Recording({ url: request.url, requestHeaders, pieces: [], dropped: false }, onGrow);
  }

  /** One that is over, and was kept elsewhere meanwhile. */
  static restored(exchange: RecordedExchange): Recording {
    const recording = new Recording(exchange, () => undefined);
    const { requestText = "", requestForm = [], pieces } = exchange;
    recording.bytes = requestText.length + formSize(requestForm);
    for (const { bytes } of pieces) recording.bytes += bytes.byteLength;
    return recording;
  }

  get content(): RecordedExchange {
    return this.exchange;
  }

  sentText(text: string): void {
    this.exchange.requestText = text;
    this.grow(text.length);
  }

  sentForm(form: Readonly<Record<string, unknown>>): void {
    const fields = Object.entries(form).flatMap(([name, value]) => fieldsOf(name, value));
    this.exchange.requestForm = fields;
    this.grow(formSize(fields));
  }

  answered(headers: Headers): void {
    this.exchange.responseHeaders = shownHeaders(headers);
  }

  wrote(bytes: Uint8Array): void {
    if (this.exchange.dropped) return;
    this.exchange.pieces.push({ atMs: performance.now() - this.started, bytes });
    this.grow(bytes.byteLength);
  }

  /** Forgets the bodies. @returns how many bytes they were */
  drop(): number {
    const { bytes } = this;
    this.bytes = 0;
    delete this.exchange.requestText;
    delete this.exchange.requestForm;
    this.exchange.pieces.length = 0;
    this.exchange.dropped = true;
    return bytes;
  }

  private grow(bytes: number): void {
    if (this.exchange.dropped) return;
    this.bytes += bytes;
    this.onGrow(bytes);
  }
}

function fieldsOf(name: string, value: unknown): RecordedField[] {
  return [value]
    .flat()
    .map((each) =>
      each instanceof File
        ? { name, file: { name: each.name, type: each.type, size: each.size } }
        : { name, text: String(each) },
    );
}

function formSize(fields: readonly RecordedField[]): number {
  return fields.reduce((size, { text = "" }) => size + text.length, 0);
}

function shownHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].map(([name, value]) => [name, SECRET.has(name) ? "…" : value]));
}
