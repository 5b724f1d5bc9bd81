import type { Answer } from '../http/answer.ts';
import type { SimulatedRequest } from '../http/server.ts';
import type { Grants } from './grants.ts';
import type { OauthDialect, SimulatedAccount, SimulatedClient } from './types.ts';

/**
 * The consent page. `GET` shows a form with the buttons "Allow" and "Deny"; `POST` of that form redirects to the app's
 * callback with a code, or with the vendor's error.
 */
export function answerConsent(
  request: SimulatedRequest,
  context: {
    dialect: OauthDialect;
    clients: readonly SimulatedClient[] | 'any';
    account: SimulatedAccount;
    grants: Grants;
  },
): Answer {
  const { dialect, clients, account, grants } = context;
  const query = request.method === 'POST' ? new URLSearchParams(request.text) : request.url.searchParams;
  const clientId = query.get('client_id') ?? '';
  const client = clients === 'any' ? { id: clientId, secret: '' } : clients.find(({ id }) => id === clientId);
  const redirectUri = query.get('redirect_uri') ?? client?.redirectUris?.[0] ?? '';
  if (client === undefined || clientId === '') return page(400, 'invalid_client_id: client identifier invalid');
  if (!URL.canParse(redirectUri) || client.redirectUris?.includes(redirectUri) === false) {
    return page(400, 'redirect_uri_mismatch: redirect_uri must match configuration');
  }
  const codeChallenge = dialect.hasPkce ? query.get('code_challenge') : null;
  const refused = refuseConsent(dialect, client, query, account);
  if (refused !== null) return refused;

  if (request.method !== 'POST') return consentForm(dialect.paths.authorize, query, account);
  const target = new URL(redirectUri);
  const state = query.get('state');
  if (query.get('decision') === 'allow') {
    const scopes = grantedScopes(dialect, client, query, account);
    target.searchParams.set('code', grants.issueCode({ account, clientId, scopes, redirectUri, codeChallenge }));
  } else {
    target.searchParams.set('error', 'access_denied');
    if (!dialect.hasFixedScopes) target.searchParams.set('error_description', 'end-user denied authorization');
  }
  if (state !== null) target.searchParams.set('state', state);
  return { status: 302, headers: { Location: target.href } };
}

function refuseConsent(
  dialect: OauthDialect,
  client: SimulatedClient,
  query: URLSearchParams,
  account: SimulatedAccount,
): Answer | null {
  if (client.requiresPkce === true && (query.get('code_challenge') ?? '') === '') {
    return page(400, 'invalid_request: missing required code challenge');
  }
  // Salesforce knows S256 only, and needs no method.
  if (dialect.hasPkce && query.has('code_challenge') && (query.get('code_challenge_method') ?? 'S256') !== 'S256') {
    return page(400, 'invalid_request: unknown code challenge method');
  }
  if (dialect.hasFixedScopes) return null;
  const lacking = scopesOf(query, 'scope').filter((scope) => account.lacksScopes?.includes(scope) === true);
  return lacking.length === 0 ? null : page(400, `This account cannot grant ${lacking.join(', ')}.`);
}

function grantedScopes(
  dialect: OauthDialect,
  client: SimulatedClient,
  query: URLSearchParams,
  account: SimulatedAccount,
): readonly string[] {
  if (dialect.hasFixedScopes) return client.scopes ?? dialect.defaultScopes;
  const optional = scopesOf(query, 'optional_scope').filter((scope) => account.lacksScopes?.includes(scope) !== true);
  const asked = [...scopesOf(query, 'scope'), ...optional];
  return asked.length === 0 ? dialect.defaultScopes : asked;
}

function scopesOf(query: URLSearchParams, name: string): string[] {
  return (query.get(name) ?? '').split(' ').filter((scope) => scope !== '');
}

function consentForm(path: string, query: URLSearchParams, { organizationId }: SimulatedAccount): Answer {
  const fields = [...query].map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  return page(
    200,
    `<form method="post" action="${path}">${fields.join('')}
<p>Allow the app to use account ${escapeHtml(organizationId)}?</p>
<button name="decision" value="allow">Allow</button> <button name="decision" value="deny">Deny</button></form>`,
    true,
  );
}

function page(status: number, content: string, isHtml = false): Answer {
  return {
    status,
    text: `<!doctype html><html lang="en"><title>Consent</title><body>${isHtml ? content : escapeHtml(content)}</body></html>`,
    headers: { 'Content-Type': 'text/html;charset=utf-8' },
  };
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
