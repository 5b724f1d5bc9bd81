/** The doctor's check of the mailboxes for which a source's owner rule names nobody. */
import { CRM_REGISTRY } from '@svc/crm';
import { mergePolicies, unmappedMailbox } from '@svc/domain/policy/plan-write';
import { listCrmRecords } from '@svc/engine/store/crm-records';
import { listSentFrom, listSourcesWithOwners, type SourceWithOwners } from '../store/owner-mailboxes.ts';
import { crmName } from '../implemented/ask-crm.ts';
import type { AdminContext } from '../implemented/operation.ts';
import { type Check, pass, warn } from './check.ts';

const NAME = 'owners';
/** More lines would hide the others. */
const SOURCES_MAX = 50;
const MAILBOXES_MAX = 20;
const RECENT_MS = 30 * 24 * 60 * 60_000;

interface Mailboxes {
  /** No user of the CRM has their address. */
  ofNobody: string[];
  /** Nothing is remembered of a user with their address. */
  unknown: string[];
}

/**
 * Returns one line for each source with mailboxes that no entry of its policy maps, and that are not known as addresses of users. A source
 * whose switch alone asks for owners is only warned of when it is known that no user has the address: that a mailbox is a user's address is
 * what the switch expects.
 */
export async function checkOwners(ctx: AdminContext): Promise<Check[]> {
  const found = await listSourcesWithOwners(ctx.db, SOURCES_MAX + 1);
  const sources = found.slice(0, SOURCES_MAX);
  if (sources.length === 0) return [];
  const mailboxes = await listUnmapped(ctx, sources);
  const checks = sources.flatMap((source) => {
    const known = mailboxes.get(source);
    return known === undefined ? [] : toChecks(source, known);
  });
  const more = `only the newest ${SOURCES_MAX} sources with owners were looked at`;
  return found.length > SOURCES_MAX ? [...checks, pass(NAME, more)] : checks;
}

async function listUnmapped(
  ctx: AdminContext,
  sources: readonly SourceWithOwners[],
): Promise<ReadonlyMap<SourceWithOwners, Mailboxes>> {
  const since = new Date(ctx.clock.now().getTime() - RECENT_MS);
  const sent = Map.groupBy(
    await listSentFrom(
      ctx.db,
      sources.map(({ id }) => id),
      since,
    ),
    ({ sourceId }) => sourceId,
  );
  const unmapped = sources.map((source) => {
    const policy = mergePolicies(source.own, source.inherited);
    const events = sent.get(source.id) ?? [];
    const names = new Set(events.flatMap((event) => unmappedMailbox(source.switches, policy, event) ?? []));
    const users = CRM_REGISTRY.find(({ crm }) => crm === source.crm)?.users;
    return { source, users, names: [...names].toSorted() };
  });
  const keys = unmapped.flatMap(({ source: { connectionId }, users, names }) =>
    users === undefined ? [] : names.map((name) => ({ connectionId, identity: users.identityOf(name) })),
  );
  const remembered = keys.length === 0 ? [] : await listCrmRecords(ctx.db, keys);
  const records = new Map(remembered.map((record) => [`${record.connectionId} ${record.identity}`, record]));
  return new Map(
    unmapped.map(({ source, users, names }) => {
      const recordOf = (name: string) => records.get(`${source.connectionId} ${users?.identityOf(name)}`);
      const ofNobody = names.filter((name) => {
        const record = recordOf(name);
        return record !== undefined && users?.isUser(record) === false;
      });
      return [source, { ofNobody, unknown: names.filter((name) => recordOf(name) === undefined) }];
    }),
  );
}

function toChecks(source: SourceWithOwners, { ofNobody, unknown }: Mailboxes): Check[] {
  const what = `source ${source.id} (${source.platform}, connection ${source.connectionId})`;
  const crm = crmName(source.crm);
  const fix = `Name their users, or a fallback, in the part owner of the policy: svc-server sources policy set ${source.id} FILE`;
  const hasRule = mergePolicies(source.own, source.inherited).owner !== undefined;
  const nobody = `${what}: what these mailboxes send has no owner, because no entry of a policy fits and no user of ${crm} has their address: ${toList(ofNobody)}`;
  const unclear = `${what}: no entry of a policy fits these mailboxes, and whether a user of ${crm} has their address is not known here: ${toList(unknown)}`;
  return [
    ...(ofNobody.length === 0 ? [] : [warn(NAME, nobody, fix)]),
    ...(unknown.length === 0 ? [] : [hasRule ? warn(NAME, unclear, fix) : pass(NAME, unclear)]),
  ];
}

function toList(names: readonly string[]): string {
  const more = names.length - MAILBOXES_MAX;
  return `${names.slice(0, MAILBOXES_MAX).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
