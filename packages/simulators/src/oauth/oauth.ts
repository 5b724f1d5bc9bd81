import { createHash } from 'node:crypto';
import type { Answer } from '../http/answer.ts';
import type { SimulatedRequest } from '../http/server.ts';
import { findClient, JWT_BEARER, readAssertion, readClientProof } from './client-proof.ts';
import { answerConsent } from './consent.ts';
import { DIALECTS } from './dialects.ts';
import { Grants } from './grants.ts';
import type {
  Grant,
  OauthCrm,
  OauthDialect,
  OauthFailure,
  SimulatedAccess,
  SimulatedAccount,
  SimulatedClient,
  TokenCall,
  TokenFault,
} from './types.ts';

export type { SimulatedAccess, SimulatedAccount, SimulatedClient, TokenCall, TokenFault } from './types.ts';

export interface OauthSimulatorOptions {
  crm: OauthCrm;
  now: () => Date;
  /** Registered apps. Default `any`: every client id and secret is accepted. */
  clients?: readonly SimulatedClient[] | 'any';
  /** Who signs in on the consent page. Default: an account of the dialect. */
  account?: SimulatedAccount;
  /** The address of the account's API, for `instance_url` and `api_domain`: that of the simulator. */
  apiUrl: () => string;
  /** Whether each refresh gives a new refresh token and ends the old one. Default false. */
  rotates?: boolean;
}

/**
 * The OAuth endpoints of one vendor. A simulator mounts it in front of its own routes:
 *
 *     const oauthAnswer = await oauth.answer(request);
 *     if (oauthAnswer !== null) return oauthAnswer;
 *
 * and asks `check` about the access token of every other request.
 */
export class OauthSimulator {
  readonly #options: OauthSimulatorOptions;
  readonly #dialect: OauthDialect;
  readonly #grants: Grants;
  readonly #refreshing = new Set<string>();
  #account: SimulatedAccount;
  #rotates: boolean;
  #faults: TokenFault[] = [];
  #calls: TokenCall[] = [];
  #wait: () => Promise<void> = async () => {};

  constructor(options: OauthSimulatorOptions) {
    this.#options = options;
    this.#dialect = DIALECTS[options.crm];
    this.#grants = new Grants(this.#dialect, options.now);
    this.#account = options.account ?? this.#dialect.defaultAccount;
    this.#rotates = options.rotates ?? false;
  }

  /** Answers a request to one of the OAuth endpoints; null for every other path. */
  async answer(request: SimulatedRequest): Promise<Answer | null> {
    const { paths } = this.#dialect;
    const path = request.url.pathname;
    if (path === paths.authorize) return this.#answerConsent(request);
    if (path === paths.token && request.method === 'POST') return this.#answerToken(request);
    if (path === paths.revoke && request.method === 'POST') return this.#answerRevoke(request);
    if (path === paths.introspect && request.method === 'POST') return this.#answerIntrospect(request);
    if (path === paths.userinfo) return this.#answerUserinfo(request);
    return null;
  }

  /**
   * Returns what a valid access token stands for, `ended` for an issued one that has expired or was revoked, and null
   * for a text that was never issued here, such as a private token.
   */
  check(accessToken: string): SimulatedAccess | 'ended' | null {
    return this.#grants.check(accessToken);
  }

  /** Signs another user in: the next consent is theirs. */
  signIn(account: SimulatedAccount): void {
    this.#account = account;
  }

  setRotation(rotates: boolean): void {
    this.#rotates = rotates;
  }

  /** Makes a grant without a browser, as if the user had consented. */
  issueGrant({ clientId = 'client' }: { clientId?: string } = {}): { accessToken: string; refreshToken: string } {
    const scopes = this.#dialect.defaultScopes;
    const grant = this.#grants.create({ account: this.#account, clientId, scopes }, { hasRefreshToken: true });
    return { accessToken: this.#grants.issueAccessToken(grant), refreshToken: grant.refreshToken ?? '' };
  }

  /** Ends all access tokens; refresh tokens stay. */
  expireAccessTokens(): void {
    this.#grants.endAccessTokens();
  }

  /** Ends all grants of an account, as when a user removes the app. */
  removeApp(organizationId: string): void {
    this.#grants.endAll(({ account }) => account.organizationId === organizationId);
  }

  /** Makes the next `count` token requests fail. Calls add up, in order. */
  failNextToken(count: number, fault: TokenFault): void {
    for (let left = count; left > 0; left -= 1) this.#faults.push(fault);
  }

  /** Every token request waits for this promise before it is answered; Salesforce refuses a second one meanwhile. */
  setTokenWait(wait: () => Promise<void>): void {
    this.#wait = wait;
  }

  /** All token requests since the last reset. */
  tokenCalls(): readonly TokenCall[] {
    return this.#calls;
  }

  /** Number of grants that are alive. */
  grantCount(): number {
    return this.#grants.count;
  }

  reset(): void {
    this.#grants.reset();
    this.#faults = [];
    this.#calls = [];
    this.#wait = async () => {};
    this.#account = this.#options.account ?? this.#dialect.defaultAccount;
    this.#rotates = this.#options.rotates ?? false;
  }

  get #clients(): readonly SimulatedClient[] | 'any' {
    return this.#options.clients ?? 'any';
  }

  #answerConsent(request: SimulatedRequest): Answer {
    return answerConsent(request, {
      dialect: this.#dialect,
      clients: this.#clients,
      account: this.#account,
      grants: this.#grants,
    });
  }

  async #answerToken(request: SimulatedRequest): Promise<Answer> {
    const form = new URLSearchParams(request.text);
    const grantType = form.get('grant_type') ?? '';
    const refreshToken = form.get('refresh_token');
    const call: TokenCall = { grantType, refreshToken, status: 0 };
    this.#calls.push(call);
    const answer = await this.#exchange(request, form);
    const answered = typeof answer === 'string' ? this.#dialect.failure(answer) : answer;
    call.status = answered.status;
    return { ...answered, headers: { 'Cache-Control': 'no-store', ...answered.headers } };
  }

  async #exchange(request: SimulatedRequest, form: URLSearchParams): Promise<Answer | OauthFailure> {
    const fault = this.#faults.shift();
    if (fault !== undefined) return fault === 'invalid_grant' ? 'invalid_refresh_token' : fault;
    const grantType = form.get('grant_type');
    if (grantType === JWT_BEARER && this.#options.crm === 'salesforce') return this.#exchangeAssertion(form);
    const client = findClient(this.#clients, readClientProof(request, form, this.#dialect.clientProof));
    // Parameters in the query would end in logs, so no vendor reads them there.
    if (client === null) return 'invalid_client';
    if (grantType === 'authorization_code') return this.#exchangeCode(client, form);
    if (grantType === 'refresh_token') return this.#refresh(client, form.get('refresh_token') ?? '');
    if (grantType === 'client_credentials' && this.#options.crm === 'salesforce') {
      if (client.hasRunAsUser !== true) return 'no_client_credentials';
      return this.#answerWithoutRefreshToken(client, this.#account);
    }
    return 'unsupported_grant_type';
  }

  async #exchangeCode(client: SimulatedClient, form: URLSearchParams): Promise<Answer | OauthFailure> {
    const pending = this.#grants.takeCode(form.get('code') ?? '');
    await this.#wait();
    if (pending === null || pending.clientId !== client.id) return 'invalid_code';
    if (pending.redirectUri !== form.get('redirect_uri')) return 'redirect_mismatch';
    if (pending.codeChallenge !== null) {
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      if (challenge !== pending.codeChallenge) return 'invalid_verifier';
    }
    const { account, clientId, scopes } = pending;
    // Salesforce gives a refresh token only when its scope was granted.
    const hasRefreshToken =
      this.#options.crm !== 'salesforce' || scopes.some((scope) => ['refresh_token', 'offline_access'].includes(scope));
    const grant = this.#grants.create({ account, clientId, scopes }, { hasRefreshToken });
    return this.#tokenAnswer(grant, grant.refreshToken);
  }

  async #refresh(client: SimulatedClient, token: string): Promise<Answer | OauthFailure> {
    if (this.#options.crm === 'salesforce' && this.#refreshing.has(token)) return 'already_processing';
    this.#refreshing.add(token);
    try {
      await this.#wait();
      const reused = this.#grants.findByReplaced(token);
      if (reused !== null && this.#dialect.endsGrantOnReuse) this.#grants.end(reused);
      const grant = this.#grants.findByRefreshToken(token);
      if (grant === null || grant.clientId !== client.id) return 'invalid_refresh_token';
      return this.#tokenAnswer(grant, this.#rotates ? this.#grants.rotate(grant) : null);
    } finally {
      this.#refreshing.delete(token);
    }
  }

  #exchangeAssertion(form: URLSearchParams): Answer | OauthFailure {
    const clients = this.#clients === 'any' ? [] : this.#clients;
    const audiences = ['https://login.salesforce.com', 'https://test.salesforce.com', this.#options.apiUrl()];
    const read = readAssertion(form.get('assertion') ?? '', { clients, audiences, now: this.#options.now() });
    if (typeof read === 'string') return read;
    return this.#answerWithoutRefreshToken(read.client, this.#account);
  }

  #answerWithoutRefreshToken(client: SimulatedClient, account: SimulatedAccount): Answer {
    const scopes = client.scopes ?? ['api', 'id'];
    return this.#tokenAnswer(
      this.#grants.create({ account, clientId: client.id, scopes }, { hasRefreshToken: false }),
      null,
    );
  }

  /** @param refreshToken the new one, null when it stays or there is none */
  #tokenAnswer(grant: Grant, refreshToken: string | null): Answer {
    const accessToken = this.#grants.issueAccessToken(grant);
    const nowMs = this.#options.now().getTime();
    const apiUrl = this.#options.apiUrl();
    return { status: 200, body: this.#dialect.tokenBody({ grant, accessToken, refreshToken, apiUrl, nowMs }) };
  }

  #answerRevoke(request: SimulatedRequest): Answer {
    const form = new URLSearchParams(request.text);
    // Salesforce revokes a token without knowing the client.
    if (this.#options.crm !== 'salesforce') {
      const client = findClient(this.#clients, readClientProof(request, form, this.#dialect.clientProof));
      if (client === null) return this.#dialect.failure('invalid_client');
    }
    const token = form.get('token') ?? '';
    const grant = this.#grants.findByRefreshToken(token);
    if (grant !== null && this.#dialect.keepsAccessOnRevoke) grant.refreshToken = null;
    else if (grant !== null) this.#grants.end(grant);
    else this.#grants.findByAccessToken(token)?.accessTokens.delete(token);
    return { status: 200 };
  }

  #answerIntrospect(request: SimulatedRequest): Answer {
    const form = new URLSearchParams(request.text);
    const client = findClient(this.#clients, readClientProof(request, form, this.#dialect.clientProof));
    if (client === null) return this.#dialect.failure('invalid_client');
    const token = form.get('token') ?? '';
    const refreshed = this.#grants.findByRefreshToken(token);
    const access = this.#grants.check(token);
    const grant = refreshed ?? (access === null || access === 'ended' ? null : this.#grants.findByAccessToken(token));
    if (grant === null) return { status: 200, body: { active: false } };
    const { account, clientId, scopes } = grant;
    const endsAtMs = grant.accessTokens.get(token)?.endsAtMs;
    return {
      status: 200,
      body: {
        active: true,
        token,
        token_type: 'bearer',
        token_use: refreshed === null ? 'access_token' : 'refresh_token',
        client_id: clientId,
        app_id: 2001,
        hub_id: Number(account.organizationId),
        hub_domain: 'example.com',
        user_id: Number(account.userId),
        scopes,
        ...(endsAtMs === undefined
          ? {}
          : {
              expires_in: Math.round((endsAtMs - this.#options.now().getTime()) / 1_000),
              is_private_distribution: true,
            }),
      },
    };
  }

  #answerUserinfo({ headers }: SimulatedRequest): Answer {
    const access = this.check(/^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? '');
    if (access === null || access === 'ended') return { status: 403, text: 'Bad_OAuth_Token' };
    if (!access.scopes.some((scope) => ['id', 'openid', 'full'].includes(scope))) {
      return { status: 403, text: 'Missing_OAuth_Scope' };
    }
    const { organizationId, userId } = access;
    return {
      status: 200,
      body: {
        sub: `https://login.salesforce.com/id/${organizationId}/${userId}`,
        organization_id: organizationId,
        user_id: userId,
      },
    };
  }
}
