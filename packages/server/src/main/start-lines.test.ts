import { describe, expect, test } from 'vitest';
import type { Target } from './targets.sql.ts';
import { ROLES } from '@svc/engine/config/roles';
import { VERSION } from '@svc/engine/runtime/version';
import { describeStart, type StartFacts } from './start-lines.ts';

const facts: StartFacts = {
  databaseUrl: undefined,
  dataDir: '/var/lib/svc',
  host: '127.0.0.1',
  roles: new Set(ROLES),
  adminUrl: null,
  reach: 'everywhere',
  targets: [],
  addresses: {
    crmUrls: { HUBSPOT: 'https://api.hubapi.com' },
    sequencerUrls: {
      smartlead: 'https://server.smartlead.ai',
      instantly: 'https://api.instantly.ai',
      emailbison: undefined,
      lemlist: 'https://api.lemlist.com',
      'reply-io': 'https://api.reply.io',
      heyreach: 'https://api.heyreach.io',
      salesloft: 'https://api.salesloft.com',
    },
  },
  mailHost: null,
  collectorUrl: null,
};
const show = (changes: Partial<StartFacts>) => describeStart({ ...facts, ...changes });
const target = (kind: Target['kind'], name: string, count = 1): Target => ({ kind, name, count });

describe('the lines below the ready line', () => {
  test('a new server', () => {
    expect(show({})).toEqual([
      `  version    ${VERSION}`,
      '  database   embedded, in /var/lib/svc',
      '  writes to  nothing yet: svc-server connections add connects a CRM',
    ]);
  });

  test('the collector of traces, without what its URL may hold', () => {
    expect(show({ collectorUrl: 'https://collector.example.com/in?key=hidden', reach: 'simulated' }).at(-1)).toBe(
      '  traces to  collector.example.com, with nothing of a tenant',
    );
  });

  test('the mail server', () => {
    expect(show({ mailHost: 'mail.example.com' }).at(-1)).toBe(
      '             mail server of the reply relays at mail.example.com',
    );
  });

  test.each(['0.0.0.0', '::'])('%s: the ready line cannot show that other machines reach it', (host) => {
    expect(show({ host })).toContain(`  listens on ${host}, so other machines can reach it`);
  });

  test('counts and hosts of everything that is written to', () => {
    const targets = [
      target('connection', 'HUBSPOT', 2),
      // No connector: nothing is written there.
      target('connection', 'SALESFORCE'),
      target('destination', 'a.example.com', 3),
      target('destination', 'b.example.com:8443'),
      target('destination', 'c.example.com'),
      target('destination', 'd.example.com'),
      target('webhook', 'hooks.example.com'),
      target('block list', 'smartlead', 2),
      // No connector, and no instance.
      target('block list', 'heyreach'),
      target('block list', 'emailbison'),
      target('block list', 'send.example.com'),
    ];
    expect(show({ targets }).slice(2)).toEqual([
      '  writes to  2 HUBSPOT connections at api.hubapi.com',
      '             6 destinations at a.example.com, b.example.com:8443, c.example.com and 1 more host',
      '             1 webhook at hooks.example.com',
      '             2 smartlead block lists at server.smartlead.ai',
      '             1 block list at send.example.com',
    ]);
  });

  test('a world: nothing leaves this machine, whatever is configured', () => {
    const targets = [target('connection', 'HUBSPOT')];
    for (const reach of ['local', 'simulated'] as const) {
      const lines = show({ reach, targets });
      expect(lines).toHaveLength(3);
      expect(lines[2]).toContain('nothing leaves this machine');
    }
  });

  test.each([
    ['postgres://svc:hunter2@db.example.com:5433/events', 'PostgreSQL, events at db.example.com:5433'],
    ['postgresql:///events?host=/run/postgresql&password=hunter2', 'PostgreSQL, events'],
    ['postgres://db.example.com', 'PostgreSQL at db.example.com'],
  ])('%s is shown without user and password', (databaseUrl, shown) => {
    expect(show({ databaseUrl })[1]).toBe(`  database   ${shown}`);
  });
});
