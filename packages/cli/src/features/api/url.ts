import { usageError } from '../../errors/cli-error.ts';

/**
 * Returns the address that `svc api` calls. It must be below the base URL, because the key is sent. `/api/v1` is
 * optional; `/health/...` is not below it.
 *
 * @throws CliError (exit 2) for an address outside the service
 */
export function resolveApiUrl(baseUrl: string, path: string): URL {
  const base = new URL(baseUrl);
  const root = base.pathname.replace(/\/+$/, '');
  const url = isAbsolute(path) ? parseAbsolute(path, base) : new URL(`${base.origin}${root}/${belowRoot(path)}`);
  if (url.origin !== base.origin || !url.pathname.startsWith(`${root}/`) || url.username !== '') {
    throw usageError(
      'The key is sent only to the configured service, not to this address',
      `Use a path, such as /syncs, or an address below ${baseUrl}.`,
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
  if (rest === '') throw usageError('The path is empty', 'For example: svc api GET /me');
  return /^(api\/v1(?=[/?#]|$)|health\/)/.test(rest) ? rest : `api/v1/${rest}`;
}
