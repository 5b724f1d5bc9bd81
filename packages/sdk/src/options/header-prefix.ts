import { ConfigurationError } from '../errors/errors.ts';

/** The default prefix, as in `Service-Signature`. */
export const DEFAULT_HEADER_PREFIX = 'Service';

/**
 * Parses the prefix of the service's own headers: `Acme` and `Acme-` both give `Acme`. Accepts more than the server's own
 * configuration does.
 *
 * @throws ConfigurationError when no header name can begin with it
 */
export function parseHeaderPrefix(prefix: string = DEFAULT_HEADER_PREFIX): string {
  if (/^\w[\w-]*$/.test(prefix)) return prefix.replace(/-$/, '');
  throw new ConfigurationError('headerPrefix must be like "Service"');
}
