import { usageError } from '../../errors/cli-error.ts';

/**
 * The address that `svc api` calls: below the base URL and nowhere else, because the key goes with it. `/api/v1` may be
 * left out; `/health/...` is not below it.
 *
 * @throws CliError (exit 2) for an address that is not the service's
 */
export function resolveApiUrl(baseUrl: string, path: string): URL {
  const base = new URL(baseUrl);
  const root = base.pathname.replace(/\/+$/, '');
  const url = isAbsolute(path) ? parseAbsolute(path, base) : new URL(`${base.origin}${root}/${belowRoot(path)}`);
  if (url.origin !== base.origin || !url.pathname.startsWith(`${root}/`) || url.username !== '') {
    throw usageError(
      'The key is sent to the configured service only, and this address is elsewhere',
      `Give a path, such as /syncs, or an address below ${baseUrl}.`,
    );
  }
  url.hash = '';
  return url;
}

function isAbsolute(path: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(path) || /^[/\\]{2}/.test(path);
}

function parseAbsolute(path: string, base: URL): URL {
  if (URL.canParse(path, base.origin)) return new URL(path, base.origin);
  throw usageError('This is neither a path nor an address', 'For example: svc api GET /me');
}

function belowRoot(path: string): string {
  const rest = path.replace(/^[/\\]+/, '');
  if (rest === '') throw usageError('There is no path', 'For example: svc api GET /me');
  return /^(api\/v1(?=[/?#]|$)|health\/)/.test(rest) ? rest : `api/v1/${rest}`;
}
