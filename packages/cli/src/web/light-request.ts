import { type HeadersLike, LightHeaders } from './light-headers.ts';

export interface LightRequestInit {
  readonly method?: string | undefined;
  readonly headers?: HeadersLike | undefined;
  readonly body?: string | Uint8Array | null | undefined;
  readonly signal?: AbortSignal | null | undefined;
}

/** `Request`, with a body that is in memory as a whole: it can be read and sent any number of times. */
export class LightRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: LightHeaders;
  readonly signal: AbortSignal;
  /** Redirects are the caller's to look at. */
  readonly redirect = 'manual';
  readonly body: Uint8Array | null;

  constructor(input: string | URL | LightRequest, init: LightRequestInit = {}) {
    const from = input instanceof LightRequest ? input : null;
    this.url = input instanceof LightRequest ? input.url : new URL(input).href;
    this.method = (init.method ?? from?.method ?? 'GET').toUpperCase();
    this.headers = new LightHeaders(init.headers ?? from?.headers);
    this.signal = init.signal ?? from?.signal ?? new AbortController().signal;
    this.body = toBytes(init.body) ?? from?.body ?? null;
    if (typeof init.body === 'string' && !this.headers.has('content-type')) {
      this.headers.set('Content-Type', 'text/plain;charset=UTF-8');
    }
  }

  clone(): LightRequest {
    return new LightRequest(this);
  }

  async text(): Promise<string> {
    return Buffer.from(this.body ?? []).toString('utf8');
  }
}

function toBytes(body: string | Uint8Array | null | undefined): Uint8Array | null {
  return typeof body === 'string' ? Buffer.from(body) : (body ?? null);
}
