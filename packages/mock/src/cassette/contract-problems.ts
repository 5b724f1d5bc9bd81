/** Compares recorded answers with the contract. */
import { answers } from '@svc/contract/answers';
import type { MockAnswer, MockRequest } from '../service/call.ts';
import { matchRoute } from '../service/routes.ts';
import { parseJson } from './recorded-request.ts';

/** Returns how an answer differs from the contract. The messages hold no value of the answer. */
export function findProblems({ method, target }: MockRequest, { status, headers, body }: MockAnswer): string[] {
  const match = matchRoute(method, target);
  if (match === null || method === 'HEAD') return [];
  const { id, path } = match.route;
  if (id === 'inbound' || id === 'getOpenapiYaml') return [];
  const differs = (what: string) => `The answer to ${method} ${path} differs from the contract: ${what}`;
  // The 503 of a service that is not ready is no error.
  if (status === 503 && id === 'getHealthReady') return [];
  if (status >= 400) return isErrorBody(parseJson(body), status) ? [] : [differs(`the ${status} has no error body`)];
  if (status === 204) return body === '' ? [] : [differs('a 204 must have no body')];
  const schema = answers[`${method} ${path} ${status}`];
  if (schema === undefined) return [differs(`status ${status} is not declared`)];
  if (headers['content-type']?.includes('json') !== true) return [differs('the body is not JSON')];
  const issues = schema.safeParse(parseJson(body), { jitless: true }).error?.issues ?? [];
  return issues.map((issue) => differs(`${toFieldPath(issue.path)}: ${issue.message}`));
}

function isErrorBody(body: unknown, status: number): boolean {
  if (typeof body !== 'object' || body === null) return false;
  const fields = new Map<string, unknown>(Object.entries(body));
  return (
    fields.get('statusCode') === status && ['message', 'error'].every((name) => typeof fields.get(name) === 'string')
  );
}

function toFieldPath(path: readonly PropertyKey[]): string {
  const text = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return text.replace(/^\./, '') || 'the body';
}
