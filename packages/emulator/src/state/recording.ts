/** A piece of a body and when it went out, in real milliseconds since the request came. */
export interface RecordedPiece {
  atMs: number;
  bytes: Uint8Array;
}

/** What came and what went, as bytes. */
export interface RecordedExchange {
  /** The URL that was asked for, whole. */
  url: string;
  /** Without the key. */
  requestHeaders: Readonly<Record<string, string>>;
  /** As it came, where it was text. */
  requestText?: string;
  /** The fields of a form by name: text and files. */
  requestForm?: Readonly<Record<string, unknown>>;
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

  /** @param onGrow told of each byte that is kept */
  constructor(request: Request, onGrow: (bytes: number) => void) {
    this.onGrow = onGrow;
    this.exchange = {
      url: request.url,
      requestHeaders: shownHeaders(request.headers),
      pieces: [],
      dropped: false,
    };
  }

  get content(): RecordedExchange {
    return this.exchange;
  }

  sentText(text: string): void {
    this.exchange.requestText = text;
    this.grow(text.length);
  }

  sentForm(form: Readonly<Record<string, unknown>>): void {
    this.exchange.requestForm = form;
    for (const value of Object.values(form).flat()) {
      this.grow(value instanceof Blob ? value.size : String(value).length);
    }
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

function shownHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].map(([name, value]) => [name, SECRET.has(name) ? "…" : value]));
}
