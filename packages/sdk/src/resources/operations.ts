/**
 * Functions that turn an operation of the contract into a method of a resource. Calls written out over the typed client would be a
 * third of the bundle. So the compiler checks only the path here; the resource names the type of the answer, and a test compares
 * the path, parameters and answer of every method with the contract.
 */
import type { paths } from '@svc/contract/types';
import type { ApiPromise, CallContext, Sent } from '../calls/call.ts';
import { createCursorList, type CursorParams } from '../lists/cursor-list.ts';
import { AbortError, ApiError, ConfigurationError, NetworkError, SvcError, TimeoutError } from '../errors/errors.ts';
import type { CallOptions } from '../http/send-with-retries.ts';
import { createLogList, findPageFault, type LogParams, type RangeParams, toRange } from '../lists/log-list.ts';
import type { List, PageAnswer } from '../lists/paginate.ts';
import type { RawHttpMethod } from '../calls/raw-client.ts';
import type { Stop } from '../lists/read-ahead.ts';
import { createShapeCheck } from '../calls/shape.ts';
import type { TailParams } from '../lists/tail.ts';
import { parseInstantMs, type WindowRow } from '../lists/windows.ts';

type Method = Uppercase<RawHttpMethod>;
type Path = keyof paths;
type FindFault<Body> = (body: Body) => string | null;

/** Error classes for the files that are loaded on demand. */
export const errors = { AbortError, ApiError, ConfigurationError, NetworkError, SvcError, TimeoutError };

const isJsonObject: FindFault<unknown> = createShapeCheck({});

export type Operations = ReturnType<typeof createOperations>;

export function createOperations(context: CallContext) {
  const send = <Body>(
    method: Method,
    path: Path,
    options: CallOptions | undefined,
    findFault: FindFault<Body> = isJsonObject,
    sent: () => Sent = () => ({}),
  ): ApiPromise<Body> => {
    const operation = { method, path };
    return context.call<Body>(
      operation,
      options,
      sent,
      (body, status) => findFault(body) ?? context.validate?.(operation, status, body) ?? null,
    );
  };

  /** Returns a list method. Parameters that not every list has become query parameters. */
  function rows<Row, Params extends CursorParams & Partial<RangeParams>>(
    template: Path,
    createRows: (params: Params, fetchPage: (page: object, stop?: Stop) => ApiPromise<PageAnswer<Row>>) => List<Row>,
  ) {
    return (params = {} as Params, options?: CallOptions, path?: object): List<Row> => {
      const { from: _from, to: _to, pageSize: _pageSize, resume: _resume, prefetch: _prefetch, ...query } = params;
      return createRows(params, (page, stop) => {
        const own = stop ? { ...options, signal: stop(options?.signal) } : options;
        return send<PageAnswer<Row>>('GET', template, own, findPageFault, () => ({
          path,
          query: { ...query, ...page },
        }));
      });
    };
  }

  return {
    send,

    /** Returns a method for a GET without parameters. */
    get:
      <Body>(template: Path, findFault?: FindFault<Body>) =>
      (options?: CallOptions): ApiPromise<Body> =>
        send('GET', template, options, findFault),

    /** Returns a method that takes the `id` in the path. */
    one:
      <Body, Id extends number | string>(method: Method, template: Path, findFault?: FindFault<Body>) =>
      (id: Id, options?: CallOptions): ApiPromise<Body> =>
        send(method, template, options, findFault, () => ({ path: { id } })),

    /** Returns a method for counts over a time range. */
    metrics:
      <Body>(template: Path, findFault?: FindFault<Body>) =>
      ({ from, to, ...query }: RangeParams, options?: CallOptions, path?: object): ApiPromise<Body> =>
        send('GET', template, options, findFault, () => ({
          path,
          query: { ...query, ...toRange({ from, to }, context.now()) },
        })),

    /** Returns a list method with a time range of any length. */
    log: <Row extends WindowRow, Params extends LogParams = LogParams>(template: Path) =>
      rows<Row, Params>(template, (params, fetchPage) => createLogList<Row>(context, params, fetchPage)),

    /** Returns a method that yields the new rows of a list. */
    tail: <Row extends WindowRow, Params>(list: (params: Params & RangeParams, options?: CallOptions) => List<Row>) =>
      async function* (params?: Omit<Params, keyof LogParams> & TailParams, options?: CallOptions) {
        // Loaded on demand, to keep the core small.
        const { tail } = await import('../lists/tail.ts');
        yield* tail<Row>(
          { ...context, errors, parseInstantMs },
          list as (range: RangeParams) => List<Row>,
          params ?? {},
          options,
        );
      },

    /** Returns a list method without a time range. */
    feed: <Row>(template: Path) => rows<Row, CursorParams>(template, createCursorList<Row>),
  };
}
