/** Calls of the dashboard's own API, and what its refusals mean for the whole page. */
import { apiUrl } from './base.ts';

/** A refusal of the server, or no answer at all. The message says what was wrong and what to do. */
export class DashboardError extends Error {
  override readonly name = 'DashboardError';
  /** Such as `not_found`, `forbidden`, `confirm_required`, `signed_out`; `unreachable` without an answer. */
  readonly code: string;
  /** HTTP status; 0 without an answer. */
  readonly status: number;

  constructor(code: string, message: string, status: number) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

interface Listeners {
  /** Called when the server says that nobody is signed in any more. */
  onSignedOut: () => void;
  /** Asks the user to prove who they are. Resolves with whether they did. */
  onConfirmRequired: () => Promise<boolean>;
}

let listeners: Listeners = { onSignedOut: () => {}, onConfirmRequired: async () => false };

/** Sets what happens when the server wants a sign-in. */
export function listenForRefusals(next: Listeners): void {
  listeners = next;
}

/**
 * Sends a request of the page. When the server wants a recent sign-in, it asks the user for one and sends the request once more.
 *
 * @throws DashboardError without an answer
 */
export async function send(request: Request): Promise<Response> {
  const again = request.clone();
  const response = await fetchOrExplain(request);
  const code = await refusalCode(response);
  if (code === 'signed_out') listeners.onSignedOut();
  if (code !== 'confirm_required' || !(await listeners.onConfirmRequired())) return response;
  return fetchOrExplain(again);
}

async function fetchOrExplain(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new DashboardError('unreachable', 'The server did not answer. Check that it runs, then try again.', 0);
  }
}

async function refusalCode(response: Response): Promise<string | null> {
  if (response.status !== 401 && response.status !== 403) return null;
  return readRefusal(await response.clone().text())?.code ?? null;
}

function readRefusal(text: string): { code: string; message: string } | null {
  try {
    const body: unknown = JSON.parse(text);
    const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : null;
    if (typeof error !== 'object' || error === null || !('code' in error) || !('message' in error)) return null;
    return { code: String(error.code), message: String(error.message) };
  } catch {
    return null;
  }
}

/**
 * Calls a route of the dashboard's own API.
 *
 * @param path without a leading slash: `session/link`
 * @throws DashboardError when the server refuses or does not answer
 */
export async function call<T>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<T> {
  const init: RequestInit =
    body === undefined
      ? { method }
      : { method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  const response = await send(new Request(apiUrl(path), init));
  const text = await response.text();
  if (response.ok) return (text === '' ? {} : JSON.parse(text)) as T;
  const refusal = readRefusal(text);
  throw new DashboardError(
    refusal?.code ?? 'unexpected',
    refusal?.message ?? `The server answered ${response.status} without a reason.`,
    response.status,
  );
}
