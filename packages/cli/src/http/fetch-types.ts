/**
 * The parts of `Headers`, `Request`, `Response` and `FormData` that the SDK and the commands use. Accessing Node's own
 * types loads all of its `fetch`, which takes longer than everything else in a command. The bundle uses these types
 * instead (`tsdown.config.ts`); tests compare them with Node's.
 */

export type HeadersLike = Iterable<readonly [string, string]> | Readonly<Record<string, string>>;

/** `Headers`, with names in lower case and sorted. */
export class Headers {
  readonly #values = new Map<string, string[]>();

  constructor(init: HeadersLike = []) {
    for (const [name, value] of Symbol.iterator in init ? init : Object.entries(init)) this.append(name, value);
  }

  append(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), [...(this.#values.get(name.toLowerCase()) ?? []), trim(value)]);
  }

  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), [trim(value)]);
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase())?.join(', ') ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  *entries(): Generator<[string, string], void, undefined> {
    for (const name of [...this.#values.keys()].toSorted()) {
      const values = this.#values.get(name) ?? [];
      // Cookies are not joined, because they may contain commas.
      for (const value of name === 'set-cookie' ? values : [values.join(', ')]) yield [name, value];
    }
  }

  [Symbol.iterator](): Generator<[string, string], void, undefined> {
    return this.entries();
  }
}

function trim(value: string): string {
  return String(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
}

export interface RequestInit {
  readonly method?: string | undefined;
  readonly headers?: HeadersLike | undefined;
  readonly body?: string | Uint8Array | null | undefined;
  readonly signal?: AbortSignal | null | undefined;
}

/** `Request` with its body in memory, so that it can be sent repeatedly. */
export class Request {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly signal: AbortSignal;
  /** Redirects are returned to the caller. */
  readonly redirect = 'manual';
  readonly body: Uint8Array | null;

  constructor(input: string | URL | Request, init: RequestInit = {}) {
    const from = input instanceof Request ? input : null;
    this.url = input instanceof Request ? input.url : new URL(input).href;
    this.method = (init.method ?? from?.method ?? 'GET').toUpperCase();
    this.headers = new Headers(init.headers ?? from?.headers);
    this.signal = init.signal ?? from?.signal ?? new AbortController().signal;
    this.body = toBytes(init.body) ?? from?.body ?? null;
    if (typeof init.body === 'string' && !this.headers.has('content-type')) {
      this.headers.set('Content-Type', 'text/plain;charset=UTF-8');
    }
  }

  clone(): Request {
    return new Request(this);
  }

  async text(): Promise<string> {
    return Buffer.from(this.body ?? []).toString('utf8');
  }
}

function toBytes(body: string | Uint8Array | null | undefined): Uint8Array | null {
  return typeof body === 'string' ? Buffer.from(body) : (body ?? null);
}

export interface Body {
  /** Reads and decodes the whole body. */
  read(): Promise<Buffer>;
  cancel(): Promise<void>;
}

export interface ResponseInit {
  readonly status?: number | undefined;
  readonly statusText?: string | undefined;
  readonly headers?: HeadersLike | undefined;
  readonly url?: string | undefined;
}

export class Response {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly url: string;
  readonly body: Body | null;

  constructor(body: string | Body | null = null, init: ResponseInit = {}) {
    this.status = init.status ?? 200;
    this.statusText = init.statusText ?? '';
    this.headers = new Headers(init.headers);
    this.url = init.url ?? '';
    this.body = typeof body === 'string' ? bodyOf(body) : body;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status <= 299;
  }

  async text(): Promise<string> {
    const text = (await this.body?.read())?.toString('utf8') ?? '';
    return text.startsWith('\ufeff') ? text.slice(1) : text;
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }
}

function bodyOf(text: string): Body {
  return { read: async () => Buffer.from(text), cancel: async () => {} };
}

/** Only needed for `instanceof` checks in the SDK's client. */
export class FormData {}
