import { completeUrl } from '@svc/domain/values/complete-url';
import { type CliError, usageError } from '../errors/cli-error.ts';
import { isLoopback } from './proxy.ts';

/**
 * Checks an http or https address and returns it. For this machine the scheme may be missing (`localhost:3000/hooks`): http is
 * added.
 *
 * @param name names the address in the message
 * @param example the hint if nothing close to `text` is an address
 * @throws CliError (exit 2)
 */
export function parseHttpUrl(text: string, name: string, example: string): string {
  const completed = completeUrl(text, isLoopback);
  if (completed?.startsWith('http://') === true) return completed;
  if (completed !== null) throw noScheme(name, completed);
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  // Other text may contain a password or a key.
  const shown = /^\w+:\/\/[\w.:/-]+$/.test(text) ? `: ${text}` : '';
  throw usageError(`${name} is not an http or https address${shown}`, example);
}

/**
 * Checks that an https address has its scheme and returns it unchanged. The service checks the rest.
 *
 * @throws CliError (exit 2) that names the complete address
 */
export function requireHttps(text: string, name: string): string {
  const completed = completeUrl(text, () => false);
  if (completed !== null) throw noScheme(name, completed);
  return text;
}

function noScheme(name: string, completed: string): CliError {
  // It may contain a password or a key.
  const hint = /[@?#]/.test(completed) ? 'Write https:// in front of it.' : `Write ${completed}.`;
  return usageError(`${name} has no scheme`, hint);
}
