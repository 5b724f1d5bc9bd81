import { ConfigurationError } from '../errors/errors.ts';

/** As the specification writes it: `Service-Signature` and so on. */
export const DEFAULT_HEADER_PREFIX = 'Service';

/**
 * How the service's own headers begin, without the dash: `Acme` and `Acme-` are the same. Wider than what an installation of ours
 * may have.
 *
 * @throws ConfigurationError when no header could begin so
 */
export function parseHeaderPrefix(prefix: string = DEFAULT_HEADER_PREFIX): string {
  if (/^\w[\w-]*$/.test(prefix)) return prefix.replace(/-$/, '');
  throw new ConfigurationError('headerPrefix must be like "Service"');
}
