/** Posts to receivers with `fetch`. */
import { ANSWER_BYTES_MAX, describeCallFailure, describeTimeout } from '@svc/domain/network/outbound-call';
import type { Post } from '../service/jobs/job-run.ts';

/** Status of redirects in browsers, which hide the real one. All redirects are the same failure. */
const OPAQUE_REDIRECT_STATUS = 302;

/** Creates a `Post` from a `fetch`. Redirects are not followed. */
export function createPost(send: typeof globalThis.fetch): Post {
  return async (url, { headers, body, timeoutMs, signal }) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const response = await send(url, { method: 'POST', headers, body, redirect: 'manual', signal: limit });
      await readAnswer(response);
      const status = response.type === 'opaqueredirect' ? OPAQUE_REDIRECT_STATUS : response.status;
      return { status, error: null };
    } catch (error) {
      return { status: null, error: limit.aborted ? describeTimeout(timeoutMs) : describe(error) };
    }
  };
}

/** Reads the global `fetch` at each post, because tests replace it. */
export const postWithFetch: Post = createPost((...call) => fetch(...call));

/** Reads the answer to its end, or to the service's limit. */
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

/** Describes the cause of the error, since `fetch` itself only says that it failed. */
function describe(error: unknown): string {
  return describeCallFailure(error instanceof Error && error.cause instanceof Error ? error.cause : error);
}
