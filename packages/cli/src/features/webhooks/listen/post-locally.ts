import { fetchOverHttp } from '../../../http/fetch.ts';

/** The service's own time limit for receivers. */
const TIMEOUT_MS = 10_000;

export interface PostResult {
  /** Null without an answer. */
  readonly httpStatus: number | null;
  /** Why there is no answer, else null. */
  readonly error: string | null;
  readonly durationMs: number;
}

/** Posts to the local server like the service: without following redirects, and never through a proxy. */
export async function postLocally(
  url: string,
  body: Uint8Array,
  headers: Readonly<Record<string, string>>,
): Promise<PostResult> {
  const startedAt = performance.now();
  const durationMs = () => Math.round(performance.now() - startedAt);
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await fetchOverHttp(url, { method: 'POST', body, headers, signal });
    await answer.body?.cancel();
    return { httpStatus: answer.status, error: null, durationMs: durationMs() };
  } catch (error) {
    return { httpStatus: null, error: reasonOf(error), durationMs: durationMs() };
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof DOMException && error.name === 'TimeoutError') return `no answer in ${TIMEOUT_MS / 1000} s`;
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
  if (code === 'ECONNREFUSED') return 'nothing listens there (ECONNREFUSED)';
  return code ?? (error instanceof Error ? error.message : String(error));
}
