import { usageError } from '../errors/cli-error.ts';
import type { Environment } from './environment.ts';
import type { Profile } from './profiles.ts';
import type { Settings } from './settings.ts';

/** As the specification writes it. */
export const DEFAULT_HEADER_PREFIX = 'Service';

/**
 * How the service's own headers begin (`Service` in `Service-Request-Id` and `Service-Signature`): `SVC_HEADER_PREFIX`, else
 * what the profile says, else the default that `svc config set header-prefix` made.
 *
 * @throws CliError (exit 2) when it cannot begin the name of a header
 */
export function headerPrefix(
  environment: Pick<Environment, 'headerPrefix'>,
  profile: Pick<Profile, 'headerPrefix'> | null = null,
  settings: Settings = {},
): string {
  if (environment.headerPrefix !== null) return parseHeaderPrefix(environment.headerPrefix, 'SVC_HEADER_PREFIX');
  return profile?.headerPrefix ?? settings['header-prefix'] ?? DEFAULT_HEADER_PREFIX;
}

/** @param source begins the message */
export function parseHeaderPrefix(text: string, source: string): string {
  const prefix = text.trim().replace(/-+$/, '');
  if (/^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(prefix)) return prefix;
  throw usageError(
    `${source} cannot begin the name of a header`,
    'Letters, digits and -, such as Acme for Acme-Signature.',
  );
}
