import { quoteInput } from '@svc/domain/values/quote-input';
import { usageError } from '../errors/cli-error.ts';
import type { Environment } from './environment.ts';
import type { Profile } from './profiles.ts';
import type { Settings } from './settings.ts';

/** The prefix in the contract's header names. */
export const DEFAULT_HEADER_PREFIX = 'Service';

/**
 * Returns the prefix of the service's own headers, such as `Service` in `Service-Request-Id`: from `SVC_HEADER_PREFIX`,
 * else the profile, else `svc config set header-prefix`.
 *
 * @throws CliError (exit 2) if the variable is not a valid prefix
 */
export function headerPrefix(
  environment: Pick<Environment, 'headerPrefix'>,
  profile: Pick<Profile, 'headerPrefix'> | null = null,
  settings: Settings = {},
): string {
  if (environment.headerPrefix !== null) return parseHeaderPrefix(environment.headerPrefix, 'SVC_HEADER_PREFIX');
  return profile?.headerPrefix ?? settings['header-prefix'] ?? DEFAULT_HEADER_PREFIX;
}

/** @param source names the setting in the error message */
export function parseHeaderPrefix(text: string, source: string): string {
  const prefix = text.trim().replace(/-+$/, '');
  if (/^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(prefix)) return prefix;
  throw usageError(
    `${source} is not a valid header prefix: ${quoteInput(text)}`,
    'Use letters, digits and -, such as Acme for Acme-Signature.',
  );
}
