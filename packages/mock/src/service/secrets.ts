/** Masks secrets in journals, logs and cassettes. */
import { type Branding, DEFAULT_BRANDING } from '@svc/domain/pages/branding';
import { SECRET_NAME } from '@svc/domain/values/secret-names';
import { memoize } from '../state/memoize.ts';

export type HideSecrets = (text: string) => string;

/** Masks keys and signing secrets with the mock's prefixes or the contract's. */
export const secretHider = memoize((branding: Branding): HideSecrets => {
  const prefixes = [DEFAULT_BRANDING, branding].flatMap(({ keyPrefix, secretPrefix }) => [keyPrefix, secretPrefix]);
  const secrets = new RegExp(`(${[...new Set(prefixes)].join('|')})[\\w-]+`, 'g');
  return (text) => text.replaceAll(secrets, '$1***');
});

const SHOWN_LENGTH_MAX = 300;

/** Returns path and query for a log: with secrets masked and cut to 300 characters. */
export function toLoggedTarget(target: string, branding: Branding): string {
  const named = target.replaceAll(/([?&])([^=&]*)=[^&]*/g, (pair: string, separator: string, name: string) =>
    SECRET_NAME.test(name) ? `${separator}${name}=***` : pair,
  );
  const masked = secretHider(branding)(named);
  return masked.length > SHOWN_LENGTH_MAX ? `${masked.slice(0, SHOWN_LENGTH_MAX)}...` : masked;
}
