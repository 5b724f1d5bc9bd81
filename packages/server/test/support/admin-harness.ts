/** Administration on its own database, with a manual clock and a resolver of a few names. */
import { randomBytes } from 'node:crypto';
import { DEFAULT_BRANDING } from '@svc/domain/pages/branding';
import { pino } from 'pino';
import { expect } from 'vitest';
import { createManualClock, type ManualClock } from '@svc/engine/runtime/clock';
import { createCrmConnectors, createCrmOauth, createCrmSetups, CRM_REGISTRY, type RegisteredCrm } from '@svc/crm';
import { readConfig } from '@svc/engine/config/config';
import { oauthAddresses } from '@svc/engine/config/public-urls';
import { createOutbound, type Resolve } from '@svc/engine/outbound/outbound';
import { createSecretBox, generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import { createHistoryClientFinder, createWebhookClientFinder } from '@svc/engine/runtime/sequencer-clients';
import { AdminError, type AdminErrorCode } from '@svc/operations/implemented/admin-error';
import { type AdminInput, type AdminOperationName, type AdminResult, performAdmin } from '@svc/operations/perform';
import type { AdminContext } from '@svc/operations/implemented/operation';
import type { Backend } from '@svc/engine/test/backends';

export const NOW = new Date('2026-03-31T12:00:00.000Z');

export interface Administration {
  ctx: AdminContext;
  clock: ManualClock;
  run<Name extends AdminOperationName>(name: Name, input: AdminInput<Name>): Promise<AdminResult<Name>>;
  /** The same with unchecked input, as it may arrive through the socket. */
  runUnchecked(name: AdminOperationName, input: unknown): Promise<object>;
  close(): Promise<void>;
}

/** Nothing listens on this port. */
const NO_CRM = 'http://127.0.0.1:9';

/** Resolves every name to a public address except `inside.*`. */
const resolve: Resolve = async (host) => [host.startsWith('inside.') ? '10.0.0.7' : '93.184.215.14'];

/**
 * @param crmUrl address of a HubSpot simulator; by default no CRM answers
 * @param env further variables of the server
 * @param registry default: the CRMs of this release
 */
export async function openAdministration(
  backend: Backend,
  crmUrl = NO_CRM,
  env: Readonly<Record<string, string>> = {},
  registry: readonly RegisteredCrm[] = CRM_REGISTRY,
): Promise<Administration> {
  const db = await backend.open();
  const clock = createManualClock(NOW);
  const crmOptions = {
    fetch: globalThis.fetch,
    timeoutMs: 20_000,
    now: () => clock.now(),
    baseUrls: { HUBSPOT: crmUrl },
    // So that the other types are examples of a CRM that a release cannot write to.
    registry: registry.filter(({ crm }) => crm === 'HUBSPOT'),
  };
  const connectors = createCrmConnectors(crmOptions);
  const setups = createCrmSetups(crmOptions);
  const config = readConfig({ SVC_HUBSPOT_URL: crmUrl, ...env });
  const oauth = createCrmOauth({ fetch: globalThis.fetch, now: () => clock.now(), ...oauthAddresses(config) });
  const url = 'https://svc.example.com';
  const sequencerOptions = {
    ...{ fetch: globalThis.fetch, guardedFetch: globalThis.fetch, timeoutMs: 20_000 },
    ...{ now: () => clock.now(), baseUrls: config.sequencerUrls },
  };
  const ctx: AdminContext = {
    db,
    clock,
    secrets: createSecretBox([generateEncryptionKey()]),
    randomBytes,
    outbound: createOutbound({ resolve, dial: () => Promise.reject(new Error('nothing is called')), allowedCidrs: [] }),
    mail: config.mail,
    urls: { api: url, sync: url, dashboard: `${url}/dashboard`, docs: `${url}/docs` },
    branding: DEFAULT_BRANDING,
    crmConnector: (crm) => connectors.get(crm),
    crmSetup: (crm) => setups.get(crm),
    crmOauth: (crm) => oauth.get(crm),
    crmQuota: () => ({ take: async () => null, report: async () => {} }),
    sequencerWebhooks: createWebhookClientFinder(sequencerOptions),
    sequencerHistory: createHistoryClientFinder(sequencerOptions),
    log: pino({ level: 'silent' }),
    areWorkersRunning: () => false,
  };
  const runUnchecked = (name: AdminOperationName, input: unknown) => performAdmin(ctx, name, input, 'a test');
  return {
    ctx,
    clock,
    run: async (name, input) => (await runUnchecked(name, input)) as never,
    runUnchecked,
    close: () => db.close(),
  };
}

/** Creates an account with a connection and a source. */
export async function makePipeline(admin: Administration, email: string, organizationId = `of ${email}`) {
  const { account } = await admin.run('accounts/create', { email });
  const { connection } = await admin.run('connections/add', {
    accountId: account.id,
    crm: 'HUBSPOT',
    organizationId,
    organizationDomain: 'northwind.example.com',
    crmToken: `pat-of-${email}`,
  });
  const { source } = await admin.run('sources/add', { connectionId: connection.id, platform: 'smartlead' });
  return { account, connection, source };
}

/** Returns the message of a refusal, which must have this code. */
export async function expectRefusal(code: AdminErrorCode, call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(AdminError);
  expect(error).toMatchObject({ code });
  return error instanceof Error ? error.message : '';
}
