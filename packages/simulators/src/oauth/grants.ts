import { randomBytes } from 'node:crypto';
import type { Grant, OauthDialect, SimulatedAccess, SimulatedAccount } from './types.ts';

export interface PendingCode {
  account: SimulatedAccount;
  clientId: string;
  scopes: readonly string[];
  redirectUri: string;
  /** Base64url SHA-256 of the verifier; null without PKCE. */
  codeChallenge: string | null;
  endsAtMs: number;
}

/** The codes and tokens that were issued, and what became of them. */
export class Grants {
  readonly #dialect: OauthDialect;
  readonly #now: () => Date;
  #codes = new Map<string, PendingCode>();
  #grants: Grant[] = [];
  /** Every access token ever issued, so that an ended one is not taken for a private token. */
  #issued = new Set<string>();

  constructor(dialect: OauthDialect, now: () => Date) {
    this.#dialect = dialect;
    this.#now = now;
  }

  issueCode(code: Omit<PendingCode, 'endsAtMs'>): string {
    const text = newToken('code');
    this.#codes.set(text, { ...code, endsAtMs: this.#now().getTime() + this.#dialect.codeSeconds * 1_000 });
    return text;
  }

  /** Returns what a code stands for, once; null when it is unknown, used or has ended. */
  takeCode(code: string): PendingCode | null {
    const pending = this.#codes.get(code) ?? null;
    this.#codes.delete(code);
    return pending !== null && pending.endsAtMs > this.#now().getTime() ? pending : null;
  }

  /** Makes a grant; the oldest one of the user ends when there are too many. */
  create(
    input: Pick<Grant, 'account' | 'clientId' | 'scopes'>,
    { hasRefreshToken }: { hasRefreshToken: boolean },
  ): Grant {
    const grant: Grant = {
      ...input,
      refreshToken: hasRefreshToken ? newToken('refresh') : null,
      replaced: new Set(),
      accessTokens: new Map(),
      issuedAtMs: this.#now().getTime(),
    };
    if (hasRefreshToken) {
      const others = this.#grants.filter(
        ({ account, clientId, refreshToken }) =>
          refreshToken !== null && clientId === input.clientId && account.userId === input.account.userId,
      );
      for (const old of others.slice(0, Math.max(0, others.length + 1 - this.#dialect.grantsPerUserMax))) this.end(old);
    }
    this.#grants.push(grant);
    return grant;
  }

  issueAccessToken(grant: Grant): string {
    const token = newToken('access');
    const endsAtMs = this.#now().getTime() + this.#dialect.accessTokenSeconds * 1_000;
    grant.accessTokens.set(token, { endsAtMs });
    this.#issued.add(token);
    return token;
  }

  /** Replaces the refresh token of a grant. */
  rotate(grant: Grant): string {
    if (grant.refreshToken !== null) grant.replaced.add(grant.refreshToken);
    grant.refreshToken = newToken('refresh');
    return grant.refreshToken;
  }

  findByRefreshToken(token: string): Grant | null {
    return this.#grants.find(({ refreshToken }) => refreshToken !== null && refreshToken === token) ?? null;
  }

  /** Returns the grant whose earlier refresh token this is. */
  findByReplaced(token: string): Grant | null {
    return this.#grants.find(({ replaced }) => replaced.has(token)) ?? null;
  }

  findByAccessToken(token: string): Grant | null {
    return this.#grants.find(({ accessTokens }) => accessTokens.has(token)) ?? null;
  }

  /** Returns what a valid access token stands for, `ended` for one that was valid, and null for any other text. */
  check(token: string): SimulatedAccess | 'ended' | null {
    const grant = this.findByAccessToken(token);
    const known = grant?.accessTokens.get(token);
    if (grant === null || known === undefined || known.endsAtMs <= this.#now().getTime()) {
      return this.#issued.has(token) ? 'ended' : null;
    }
    const { account, clientId, scopes } = grant;
    return { organizationId: account.organizationId, userId: account.userId, clientId, scopes };
  }

  /** Ends a grant with its tokens. */
  end(grant: Grant): void {
    this.#grants = this.#grants.filter((other) => other !== grant);
  }

  endAll(ends: (grant: Grant) => boolean): void {
    for (const grant of this.#grants.filter(ends)) this.end(grant);
  }

  endAccessTokens(): void {
    for (const { accessTokens } of this.#grants) accessTokens.clear();
  }

  get count(): number {
    return this.#grants.length;
  }

  reset(): void {
    this.#codes = new Map();
    this.#grants = [];
    this.#issued = new Set();
  }
}

function newToken(kind: string): string {
  return `sim_${kind}_${randomBytes(24).toString('base64url')}`;
}
