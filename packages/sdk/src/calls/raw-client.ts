import type { paths } from '@svc/contract/types';
import type { Client as OpenapiClient, FetchOptions } from 'openapi-fetch';

/**
 * The openapi-fetch client with the contract's paths. Answers have types of our own, because openapi-fetch 0.17 turns every open
 * enum, `'a' | (string & {})`, into an object with the methods of a string.
 */
export interface RawClient extends Pick<OpenapiClient<paths>, 'use' | 'eject'> {
  readonly GET: RawMethod<'get'>;
  readonly POST: RawMethod<'post'>;
  readonly PATCH: RawMethod<'patch'>;
  readonly DELETE: RawMethod<'delete'>;
}

/** One HTTP method of the raw client, with the contract's paths, parameters and bodies. */
export type RawMethod<Method extends RawHttpMethod> = <Path extends PathWith<Method>>(
  path: Path,
  ...init: OptionalWhenEmpty<FetchOptions<paths[Path][Method]>>
) => Promise<RawAnswer<paths[Path][Method]>>;

/** Either `data` or `error`, and the HTTP response. `error` is text when the body was not JSON. */
export type RawAnswer<Operation> =
  | { data: BodyOf<ResponseOf<Operation, SuccessStatus>>; error?: never; response: Response }
  | { data?: never; error: BodyOf<ResponseOf<Operation, ErrorStatusOf<Operation>>> | string; response: Response };

export type RawHttpMethod = 'get' | 'post' | 'patch' | 'delete';
type SuccessStatus = 200 | 202 | 204;

type PathWith<Method extends RawHttpMethod> = {
  [Path in keyof paths]: paths[Path] extends Record<Method, { responses: unknown }> ? Path : never;
}[keyof paths];

type OptionalWhenEmpty<Init> = Record<never, never> extends Init ? [init?: Init] : [init: Init];
type ResponseOf<Operation, Status> = Operation extends { responses: infer Responses }
  ? Responses[keyof Responses & Status]
  : never;
type ErrorStatusOf<Operation> = Operation extends { responses: infer Responses }
  ? Exclude<keyof Responses, SuccessStatus>
  : never;
type BodyOf<Answer> = Answer extends { content: infer Content } ? Content[keyof Content] : undefined;
