/** Real posts to receivers that hosts were routed to. */
import { noAnswerWithin, type Post } from '../jobs/post.ts';

/** Posts with `fetch`; a redirect is an answer like any other and is not followed. */
export const postWithFetch: Post = async (url, { headers, body, timeoutMs }) => {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
    return { status: response.status, error: null };
  } catch (error) {
    return { status: null, error: describe(error, timeoutMs) };
  }
};

function describe(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return noAnswerWithin(timeoutMs);
  const { cause } = error;
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message;
}
