/** Narrowing of errors. The compiler checks the types, the test their values. */
import { describe, expect, expectTypeOf, test } from 'vitest';
import * as sdk from '../../src/index.ts';
import { createFakeService, json, refusal } from '../fake-service.ts';
import type { PathsToAny } from './no-any.ts';

const { options } = createFakeService(json({}));

/** Returns the error of a call that gets this answer. */
async function errorOf(status: number): Promise<unknown> {
  const client = sdk.createClient({ ...createFakeService(refusal(status, 'no')).options, maxRetries: 0 });
  return client.webhooks.test('oswhk_1').catch((error: unknown) => error);
}

describe('a class narrows an unknown error', () => {
  test('errors of one status have a literal status', async () => {
    const error = await errorOf(404);
    if (!(error instanceof sdk.NotFoundError)) throw error;
    expectTypeOf(error).toEqualTypeOf<sdk.NotFoundError>();
    expectTypeOf(error.status).toEqualTypeOf<404>();
    expectTypeOf<sdk.NotFoundError['name']>().toEqualTypeOf<'NotFoundError'>();
    expect(error).toMatchObject({ status: 404, name: 'NotFoundError' });

    expectTypeOf<sdk.BadRequestError['status']>().toEqualTypeOf<400>();
    expectTypeOf<sdk.AuthenticationError['status']>().toEqualTypeOf<401>();
    expectTypeOf<sdk.PermissionError['status']>().toEqualTypeOf<403>();
    expectTypeOf<sdk.ConflictError['status']>().toEqualTypeOf<409>();
    expectTypeOf<sdk.PayloadTooLargeError['status']>().toEqualTypeOf<413>();
    expectTypeOf<sdk.UnsupportedMediaTypeError['status']>().toEqualTypeOf<415>();
    expectTypeOf<sdk.RateLimitError['status']>().toEqualTypeOf<429>();
    expectTypeOf<sdk.ServerError['status']>().toEqualTypeOf<number>();
    expectTypeOf<sdk.InvalidResponseError['status']>().toEqualTypeOf<number>();
  });

  test('errors about answers have the same fields', async () => {
    const error = await errorOf(503);
    if (!(error instanceof sdk.ApiError)) throw error;
    expectTypeOf(error.status).toEqualTypeOf<number>();
    expectTypeOf(error.requestId).toEqualTypeOf<string | null>();
    expectTypeOf(error.retryAfterSeconds).toEqualTypeOf<number | null>();
    expectTypeOf(error.method).toEqualTypeOf<string>();
    expectTypeOf(error.path).toEqualTypeOf<string>();
    expectTypeOf(error.body).toEqualTypeOf<unknown>();
    expectTypeOf(error.attempts).toEqualTypeOf<number>();
    expect(error).toMatchObject({ status: 503, method: 'POST', attempts: 1, retryAfterSeconds: null });
  });

  test('errors without an answer have their own fields', async () => {
    const client = sdk.createClient({ ...options, maxRetries: 0, fetch: async () => Promise.reject(new TypeError()) });
    const error = await client.me.get().catch((fault: unknown) => fault);
    if (!(error instanceof sdk.NetworkError)) throw error;
    expectTypeOf(error.code).toEqualTypeOf<string | null>();
    expectTypeOf(error.nothingSent).toEqualTypeOf<boolean>();
    expect(error).toMatchObject({ code: null, nothingSent: false });
    expectTypeOf<sdk.TimeoutError['timeoutMs']>().toEqualTypeOf<number>();
    expectTypeOf<sdk.NetworkError>().not.toHaveProperty('status');
    expectTypeOf<sdk.AbortError>().not.toHaveProperty('status');
    expectTypeOf<sdk.ConfigurationError>().not.toHaveProperty('status');
  });

  test('every error has resume and summary', () => {
    expectTypeOf<sdk.SvcError['resume']>().toEqualTypeOf<sdk.ResumePoint | undefined>();
    expectTypeOf<sdk.SvcError['summary']>().toEqualTypeOf<sdk.RetryAllSummary | undefined>();
    expectTypeOf<sdk.SvcError>().toExtend<Error>();
    for (const error of [{} as sdk.ApiError, {} as sdk.AbortError, {} as sdk.NetworkError, {} as sdk.PaginationError]) {
      expectTypeOf(error).toExtend<sdk.SvcError>();
    }
    expectTypeOf<PathsToAny<Omit<sdk.ApiError | sdk.NetworkError | sdk.TimeoutError, 'cause'>>>().toBeNever();
  });
});

describe('a union of errors is narrowed', () => {
  type Refused = sdk.ConflictError | sdk.NotFoundError | sdk.RateLimitError;

  test('by status', () => {
    expectTypeOf((error: Refused) => {
      if (error.status === 409) return expectTypeOf(error).toEqualTypeOf<sdk.ConflictError>();
      if (error.status === 404) return expectTypeOf(error).toEqualTypeOf<sdk.NotFoundError>();
      return expectTypeOf(error).toEqualTypeOf<sdk.RateLimitError>();
    }).toBeFunction();
  });

  test('by class, both ways', () => {
    expectTypeOf((error: Refused) => {
      if (error instanceof sdk.ConflictError) return expectTypeOf(error).toEqualTypeOf<sdk.ConflictError>();
      return expectTypeOf(error).toEqualTypeOf<sdk.NotFoundError | sdk.RateLimitError>();
    }).toBeFunction();
    // Classes with the same fields are still different types.
    expectTypeOf<sdk.ServerError>().not.toExtend<sdk.InvalidResponseError>();
    expectTypeOf<sdk.ConflictError>().not.toExtend<sdk.NotFoundError>();
    expectTypeOf<sdk.AbortError>().not.toExtend<sdk.PaginationError>();
  });

  test('by name', () => {
    type Names = Exclude<Extract<keyof typeof sdk, `${string}Error`>, 'SvcError' | 'ApiError'>;
    expectTypeOf<{ [Name in Names]: InstanceType<(typeof sdk)[Name]>['name'] }>().toEqualTypeOf<{
      [Name in Names]: Name;
    }>();
  });

  test('an impossible status does not compile', () => {
    // @ts-expect-error a 404 is never a 409
    expectTypeOf((error: sdk.NotFoundError) => error.status === 409).toBeFunction();
  });
});
