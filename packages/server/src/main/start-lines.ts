/** The lines that `start` prints below its ready line: which server this is, and what it writes to. */
import path from 'node:path';
import { sanitize } from '@svc/engine/runtime/terminal-text';
import type { Target } from './targets.sql.ts';
import type { Config } from '@svc/engine/config/config';
import { splitDatabaseUrl } from '@svc/engine/config/database-hosts';
import { describeRoles, isPublic, type Role } from '@svc/engine/config/roles';
import { VERSION } from '@svc/engine/runtime/version';

const HOSTS_SHOWN_MAX = 3;

type Addresses = Pick<Config, 'crmUrls' | 'sequencerUrls'>;

export interface StartFacts {
  databaseUrl: string | undefined;
  dataDir: string;
  /** Address of the listening socket, as configured. */
  host: string;
  /**
   * `simulated`: a world with simulators. `local`: a world without them, whose calls elsewhere are refused. `nothing`: the
   * stored secrets cannot be decrypted.
   */
  reach: 'everywhere' | 'local' | 'simulated' | 'nothing';
  roles: ReadonlySet<Role>;
  /** Where metrics and health are shown besides the public listener; null without such a listener. */
  adminUrl: string | null;
  targets: readonly Target[];
  addresses: Addresses;
  /** The mail server of reply relays; null without one. */
  mailHost: string | null;
  /** URL of the collector of traces; null without one. */
  collectorUrl: string | null;
}

/**
 * Returns the ready line. Its first URL is that of the public listener, else of the administrative one.
 *
 * @param urls of the listeners that the process has
 */
export function describeReady(roles: ReadonlySet<Role>, urls: { url: string | null; adminUrl: string | null }): string {
  const as = describeRoles(roles) === null ? '' : ` as ${describeRoles(roles)}`;
  if (urls.url !== null) return `svc-server is ready on ${urls.url}${as}`;
  const where = urls.adminUrl === null ? 'without a port' : `on ${urls.adminUrl} (administrative only)`;
  return `svc-server is ready ${where}${as}`;
}

/** Returns the lines, indented below the ready line. */
export function describeStart(facts: StartFacts): string[] {
  const [first = '', ...more] = describeReach(facts);
  return [
    `  version    ${VERSION}`,
    ...(isPublic(facts.roles) && isWildcard(facts.host)
      ? [`  listens on ${facts.host}, so other machines can reach it`]
      : []),
    ...(facts.adminUrl === null ? [] : [`  metrics    ${facts.adminUrl}/metrics`]),
    `  database   ${describeDatabase(facts)}`,
    `  writes to  ${first}`,
    ...more.map((line) => `             ${line}`),
    ...(facts.collectorUrl === null
      ? []
      : [`  traces to  ${new URL(facts.collectorUrl).host}, with nothing of a tenant`]),
  ].map(sanitize);
}

/** The ready line shows the loopback address for these. */
function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** Shows host and name of a PostgreSQL database, because its URL may contain a password. */
function describeDatabase({ databaseUrl, dataDir }: StartFacts): string {
  if (databaseUrl === undefined) return `embedded, in ${path.resolve(dataDir)}`;
  const urls = (splitDatabaseUrl(databaseUrl) ?? []).map((url) => new URL(url));
  const host = urls.map((url) => url.host).join(',');
  const pathname = urls[0]?.pathname ?? '';
  const name = decodeURIComponent(pathname.slice(1));
  return `PostgreSQL${name === '' ? '' : `, ${name}`}${host === '' ? '' : ` at ${host}`}`;
}

function describeReach({ roles, reach, targets, addresses, mailHost }: StartFacts): string[] {
  if (reach !== 'nothing' && !roles.has('worker')) return ['nothing: it runs no workers'];
  if (reach === 'simulated') {
    return ['nothing leaves this machine: CRM, sequencers, mail server, destinations and webhooks are simulated'];
  }
  if (reach === 'local') return ['nothing leaves this machine: calls to other machines are refused'];
  if (reach === 'nothing') return ['nothing, and is not ready: the stored secrets cannot be decrypted (see the log)'];
  const { heyreach: _heyreach, salesloft: _salesloft, ...blocklistUrls } = addresses.sequencerUrls;
  const lines = [
    ...byAddress('connection', targets, addresses.crmUrls),
    ...byHost('destination', targets),
    ...byHost('webhook', targets),
    ...byAddress('block list', targets, blocklistUrls),
    // Block lists whose sequencer is an instance of the customer's: its host has a dot, a platform's name has none.
    ...byHost(
      'block list',
      targets.filter(({ name }) => name.includes('.')),
    ),
  ];
  const mail = mailHost === null ? [] : [`mail server of the reply relays at ${mailHost}`];
  return [...(lines.length > 0 ? lines : ['nothing yet: svc-server connections add connects a CRM']), ...mail];
}

/** One line per CRM or platform that this release can write to: `2 HUBSPOT connections at api.hubapi.com`. */
function byAddress(
  kind: Target['kind'],
  targets: readonly Target[],
  urls: Readonly<Record<string, string | undefined>>,
): string[] {
  return targets.flatMap((target) => {
    const url = urls[target.name];
    if (target.kind !== kind || url === undefined) return [];
    return [`${countOf(target.count, `${target.name} ${kind}`)} at ${new URL(url).host}`];
  });
}

/** For example `5 destinations at a.example.com, b.example.com, c.example.com and 2 more hosts`. */
function byHost(kind: Target['kind'], targets: readonly Target[]): string[] {
  const own = targets.filter((target) => target.kind === kind);
  if (own.length === 0) return [];
  const shown = own.slice(0, HOSTS_SHOWN_MAX).map(({ name }) => name);
  const rest = own.length - shown.length;
  const count = own.reduce((sum, target) => sum + target.count, 0);
  return [`${countOf(count, kind)} at ${shown.join(', ')}${rest > 0 ? ` and ${countOf(rest, 'more host')}` : ''}`];
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
