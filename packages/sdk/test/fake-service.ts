import type { ClientOptions } from '../src/client.ts';

export const API_KEY = 'osapi_test_0123456789';

/** The reaction to one attempt. */
export type Reaction = Response | Error | 'hang' | ((request: Request) => Response | Promise<Response>);

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });

export const refusal = (status: number, message: string, headers: Record<string, string> = {}): Response =>
  json({ statusCode: status, message, error: 'x' }, status, { 'Service-Request-Id': `req-${status}`, ...headers });

/** An error as undici throws it, with the system call that failed, if any. */
export function networkFault(code: string, syscall?: string): TypeError {
  const cause = Object.assign(new Error(`${syscall ?? 'socket'} ${code} 127.0.0.1:1`), { code, syscall });
  return new TypeError('fetch failed', { cause });
}

/** Returns an answer that never comes; only the signal ends it. */
export function hang(request: Request): Promise<never> {
  return new Promise((_resolve, reject) => {
    request.signal.addEventListener('abort', () => reject(request.signal.reason));
  });
}

/**
 * Creates a service with a scripted reaction to each attempt; the last one repeats. Its clock moves only during waits.
 */
export function createFakeService(...reactions: Reaction[]) {
  const requests: Request[] = [];
  const waits: number[] = [];
  let now = Date.parse('2026-03-01T00:00:00Z');
  const options = {
    baseUrl: 'http://svc.test',
    apiKey: API_KEY,
    now: () => now,
    random: () => 0,
    sleep: async (ms: number, signal?: AbortSignal) => {
      signal?.throwIfAborted();
      waits.push(ms);
      now += ms;
    },
    fetch: async (request) => {
      const reaction = reactions[Math.min(requests.length, reactions.length - 1)];
      requests.push(request);
      if (reaction instanceof Error) throw reaction;
      if (reaction === 'hang') return hang(request);
      if (reaction === undefined) throw new Error('no reaction');
      return typeof reaction === 'function' ? reaction(request) : reaction.clone();
    },
  } satisfies ClientOptions;
  return { options, requests, waits };
}
