/** A user of the dashboard in a browser: it keeps cookies, and sends the headers that browsers send. */
import { performAdmin } from '@svc/operations/perform';
import type { TestServer } from './harness.ts';

export interface DashboardUser {
  readonly email: string;
  readonly cookie: string;
  /** @param path below `/dashboard/api/` */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<DashboardAnswer>;
}

export interface DashboardAnswer {
  status: number;
  headers: Headers;
  json: ReturnType<typeof JSON.parse>;
}

/** What a browser adds to the requests of the page itself. */
export const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };

/** Invites a user and redeems the link. */
export async function signIn(
  { url, running }: Pick<TestServer, 'url' | 'running'>,
  { email, role }: { email: string; role: 'admin' | 'viewer' },
): Promise<DashboardUser> {
  const { link } = await performAdmin(running.ctx, 'users/invite', { email, role }, 'a test');
  const token = link.split('/').at(-1);
  const answer = await send(url, 'POST', 'session/link', { token }, {});
  if (answer.status !== 200) throw new Error(`the link was refused: ${JSON.stringify(answer.json)}`);
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  return {
    email,
    cookie,
    call: (method, path, body, headers) => send(url, method, path, body, { cookie, ...headers }),
  };
}

/** Sends what a page sends without a session. */
export async function send(
  url: string,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<DashboardAnswer> {
  const response = await fetch(`${url}/dashboard/api/${path}`, {
    method,
    headers: { ...SAME_ORIGIN, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, json: text === '' ? undefined : JSON.parse(text) };
}
