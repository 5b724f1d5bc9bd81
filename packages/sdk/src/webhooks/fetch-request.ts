import { WebhookRequestError } from './errors.ts';
import { readBody } from './read-body.ts';

/** Returns a function that reads the raw body of a `Request`, up to the limit. */
export function fetchReader(request: Request, maxBodyBytes: number): () => Promise<Uint8Array> {
  return async () => {
    if (request.bodyUsed || request.body?.locked) {
      throw new WebhookRequestError(
        'the body was read before: hand over the request itself, or a clone made before reading it',
        { reason: 'body_already_parsed' },
      );
    }
    if (!request.body) return new Uint8Array();
    const reader = request.body.getReader();
    try {
      return await readBody(() => reader.read(), maxBodyBytes, request.headers.get('content-length'));
    } catch (error) {
      // Not awaited: a failed stream would reject here again.
      reader.cancel().catch(() => {});
      throw error;
    }
  };
}
