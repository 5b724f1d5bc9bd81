import { ConfigurationError } from './errors.ts';

/**
 * How the service's own headers begin, without the dash: `Acme` and `Acme-` are the same.
 *
 * @throws ConfigurationError when no header could begin so
 */
export function parseHeaderPrefix(prefix = 'Service'): string {
  if (/^[\w-]+$/.test(prefix)) return prefix.replace(/-$/, '');
  throw new ConfigurationError('headerPrefix must be like "Service"');
}
