/** Real posts to receivers that hosts were routed to. */
import { ANSWER_BYTES_MAX, describeCallFailure, describeTimeout } from '@svc/domain/network/outbound-call';
import type { Post } from '../service/jobs/job-run.ts';

/** Status of a redirect where nobody says which it was. All of them are the same failure. */
const SOME_REDIRECT = 302;

/** Posts with a `fetch`; a redirect is an answer like any other and is not followed. */
export function createPost(send: typeof globalThis.fetch): Post {
  return async (url, { headers, body, timeoutMs, signal }) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const response = await send(url, { method: 'POST', headers, body, redirect: 'manual', signal: limit });
      await readAnswer(response);
      // Pages are not shown the answer then, not even its status.
      const status = response.type === 'opaqueredirect' ? SOME_REDIRECT : response.status;
      return { status, error: null };
    } catch (error) {
      return { status: null, error: limit.aborted ? describeTimeout(timeoutMs) : describe(error) };
    }
  };
}

/** Looked up at each post: tests replace the global one. */
export const postWithFetch: Post = createPost((...call) => fetch(...call));

/** To its end, or as far as the service reads. */
async function readAnswer({ body }: Response): Promise<void> {
  const reader = body?.getReader();
  if (reader === undefined) return;
  for (let bytes = 0; bytes <= ANSWER_BYTES_MAX; ) {
    const { done, value } = await reader.read();
    if (done) return;
    bytes += value.length;
  }
  await reader.cancel();
}

/** `fetch` itself says no more than that it failed. */
function describe(error: unknown): string {
  return describeCallFailure(error instanceof Error && error.cause instanceof Error ? error.cause : error);
}
