import { type HeadersLike, LightHeaders } from './light-headers.ts';

export interface LightBody {
  /** All of it, with nothing of an encoding left. */
  read(): Promise<Buffer>;
  cancel(): Promise<void>;
}

export interface LightResponseInit {
  readonly status?: number | undefined;
  readonly statusText?: string | undefined;
  readonly headers?: HeadersLike | undefined;
  readonly url?: string | undefined;
}

/** `Response`. */
export class LightResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: LightHeaders;
  readonly url: string;
  readonly type = 'default';
  readonly redirected = false;
  readonly body: LightBody | null;

  constructor(body: string | LightBody | null = null, init: LightResponseInit = {}) {
    this.status = init.status ?? 200;
    this.statusText = init.statusText ?? '';
    this.headers = new LightHeaders(init.headers);
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

function bodyOf(text: string): LightBody {
  return { read: async () => Buffer.from(text), cancel: async () => {} };
}
