import type { OauthErrorTexts, RefusalMeaning } from './types.ts';

const TEMPORARY = new Set(['rate_limit_exceeded', 'rate_limit', 'temporarily_unavailable', 'server_error']);

/**
 * Returns what an error of the standard means. Only `invalid_grant` is about the grant: an app that the vendor does not
 * accept, for example because its secret was replaced, must not end the grants of all customers.
 */
export function readRefusal({ error }: OauthErrorTexts): RefusalMeaning {
  if (error === 'invalid_grant') return 'ended';
  return TEMPORARY.has(error) ? 'unavailable' : 'refused';
}
