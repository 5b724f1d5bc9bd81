/**
 * Chooses to whom the mail of a reply goes (`relay-routes.ts` in the domain).
 *
 * The owner of the contact is read when the mail is sent first, so a change of owner holds for the next reply. Further attempts go to the same
 * rep, because an earlier one may have arrived. While the CRM cannot be asked the mail waits, for as long as mails are tried; after that the next
 * routes decide, and the log says why.
 */
import type { CrmFailed, CrmOwner, CrmOwnerRead } from '@svc/crm';
import { mergePolicies, userOfTable } from '@svc/domain/policy/plan-write';
import { toMailAddress } from '@svc/domain/relays/mail-address';
import {
  addressOfCampaign,
  nextOwnerRead,
  type RelayRecipient,
  type RelayRoute,
  routeName,
} from '@svc/domain/relays/relay-routes';
import type { Context } from '../context.ts';
import { openCrmAccess, renewCrmAccess } from '../crm/access.ts';
import { getRelayConnection, type RelayConnection, type RelayMailToSend } from '../store/relay-mails.ts';
import { findPolicyOfSource } from '../store/write-policies.ts';
import { acquireCrmProbe, applyCrmAnswer } from './crm-cooldown.ts';

export interface RoutedMail extends RelayMailToSend {
  event: NonNullable<RelayMailToSend['event']>;
  relay: NonNullable<RelayMailToSend['relay']>;
}

export type Routing = { recipient: RelayRecipient } | Wait;

/** The CRM is asked again then. */
interface Wait {
  askAgainAt: Date;
  reason: string;
}

/** What a route says; with a note when it could not be asked. */
interface Answer {
  address: string | null;
  note?: string;
}

export async function routeRelayMail(ctx: Context, mail: RoutedMail): Promise<Routing> {
  const { relay, recipient, state } = mail;
  if (relay.routes !== null && recipient !== null && state.attemptCount > 0) return { recipient };
  const notes: string[] = [];
  for (const route of relay.routes ?? []) {
    const answer = await askRoute(ctx, mail, route);
    if ('askAgainAt' in answer) return answer;
    if (answer.note !== undefined) notes.push(`${routeName(route)}: ${answer.note}`);
    // An address that a CRM or a policy has is not checked there.
    const to = answer.address === null ? null : toMailAddress(answer.address, '');
    if (to !== null) return { recipient: { address: to.address, route: routeName(route), note: textOf(notes) } };
  }
  return { recipient: { address: relay.ccEmail, route: 'fixed', note: textOf(notes) } };
}

function textOf(notes: readonly string[]): string | null {
  return notes.length === 0 ? null : notes.join(' ');
}

async function askRoute(ctx: Context, mail: RoutedMail, route: RelayRoute): Promise<Answer | Wait> {
  const { normalized: event, sourceId } = mail.event;
  if (typeof route === 'object') return { address: addressOfCampaign(route, event.campaign) };
  if (route === 'crm-owner') return askCrm(ctx, mail, { event });
  const policy = await findPolicyOfSource(ctx.db, sourceId);
  const user = userOfTable(mergePolicies(policy?.own?.policy ?? null, policy?.inherited?.policy ?? null), event);
  if (user === null || user.includes('@')) return { address: user };
  return askCrm(ctx, mail, { userId: user });
}

async function askCrm(ctx: Context, mail: RoutedMail, of: CrmOwnerRead['of']): Promise<Answer | Wait> {
  const connection = await getRelayConnection(ctx.db, mail.connectionId);
  if (connection === null) return { address: null };
  const answer = await readOwner(ctx, connection, of);
  if (answer === null) return { address: null, note: `${connection.crm} cannot be asked for owners.` };
  if (answer.status === 'owner') return { address: answer.address };
  const { message } = answer.error;
  const askAgainAt = answer.retry === 'never' ? null : nextOwnerRead({ dueAt: mail.dueAt, now: ctx.clock.now() });
  if (askAgainAt === null) return { address: null, note: message };
  return { askAgainAt, reason: `The owner is not known yet, and is asked for again: ${message}` };
}

/** Returns null when the connector of this CRM reads no owners. */
async function readOwner(
  ctx: Context,
  connection: RelayConnection,
  of: CrmOwnerRead['of'],
): Promise<CrmOwner | CrmFailed | null> {
  const { id, crm, organizationId } = connection;
  const open = await openCrmAccess(ctx, connection);
  if ('status' in open) return open;
  const { connector, access } = open;
  if (connector.readOwner === undefined) return null;
  const permission = await acquireCrmProbe(ctx, connection);
  if (!permission.mayCall) return toWait(crm);
  const read = { organizationId, records: ctx.crmRecords(id), of };
  let answer = await connector.readOwner({ ...read, access });
  if (answer.status === 'error' && answer.disconnected && access.tokenType === 'oauth') {
    const renewed = await renewCrmAccess(ctx, { id, crm }, access.accessToken);
    answer = 'status' in renewed ? renewed : await connector.readOwner({ ...read, access: renewed.access });
  }
  await applyCrmAnswer(ctx.db, id, permission.probeUntil, answer);
  return answer;
}

function toWait(crm: string): CrmFailed {
  const error = { code: 'rate_limited', message: `${crm} asked to wait.`, httpStatus: null };
  return { status: 'error', error, retry: { afterMs: null }, disconnected: false };
}
