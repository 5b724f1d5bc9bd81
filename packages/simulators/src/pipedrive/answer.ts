import { randomUUID } from 'node:crypto';
import type { Answer } from '../http/answer.ts';

/** Pipedrive's envelopes. */

/** A refusal with Pipedrive's error body. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  /** Pipedrive's own code of the error, such as `feature_capping_contacts`. */
  readonly code: string | undefined;

  constructor(status: number, message: string, code?: string) {
    super(message);
    this.status = status;
    this.code = code;
  }

  toAnswer(): Answer {
    return {
      status: this.status,
      headers: correlation(),
      body: {
        success: false,
        error: this.message,
        error_info: 'Please check developers.pipedrive.com for more information about Pipedrive API.',
        data: null,
        ...(this.status === 401 ? { errorCode: 401 } : {}),
        ...(this.code === undefined ? {} : { code: this.code }),
      },
    };
  }
}

/** A single object, or what a write returns: 200 also when something was made. */
export function single(data: unknown, status = 200): Answer {
  return { status, headers: correlation(), body: { success: true, data } };
}

/** A page of v2; `nextCursor` is null on the last one. */
export function page(data: unknown, nextCursor: string | null): Answer {
  return {
    status: 200,
    headers: correlation(),
    body: { success: true, data, additional_data: { next_cursor: nextCursor } },
  };
}

/** A page of v1. */
export function pageOfV1(all: readonly unknown[], start: number, limit: number): Answer {
  const hasMore = start + limit < all.length;
  return {
    status: 200,
    headers: correlation(),
    body: {
      success: true,
      data: all.slice(start, start + limit),
      additional_data: {
        pagination: {
          start,
          limit,
          more_items_in_collection: hasMore,
          ...(hasMore ? { next_start: start + limit } : {}),
        },
      },
    },
  };
}

/** What Cloudflare answers to a caller that goes on after many 429s. */
export function cloudflarePage(): Answer {
  return {
    status: 403,
    text: '<!DOCTYPE html><html><head><title>Attention Required! | Cloudflare</title></head><body>blocked</body></html>',
    headers: { 'Content-Type': 'text/html; charset=UTF-8', Server: 'cloudflare' },
  };
}

/** A path that a version does not have. */
export function unknownPath(): Answer {
  return {
    status: 404,
    text: '<!DOCTYPE html><html><body>Not found</body></html>',
    headers: { 'Content-Type': 'text/html; charset=UTF-8' },
  };
}

function correlation(): Record<string, string> {
  return { 'x-correlation-id': randomUUID() };
}
