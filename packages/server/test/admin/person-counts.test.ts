/** The counts of `svc-server person show` come from indexes; the dry run of an erasure reads every row. Both find the same. */
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { performAdmin } from '@svc/operations/perform';
import { anyBackend } from '@svc/engine/test/backends';
import { startErasureServer } from '../support/erasure-server.ts';
import { DELAY_MS } from '../support/forwarding-server.ts';

const PEOPLE = ['ada', 'bob'];
const emailOf = (name: string) => `${name}@people.example`;
const profileOf = (name: string) => `https://www.linkedin.com/in/${name}-of-people`;

interface Post {
  person: string;
  type: 'EMAIL_SENT' | 'EMAIL_OPEN' | 'EMAIL_REPLY' | 'EMAIL_BOUNCE' | 'LEAD_CATEGORY_UPDATED' | 'LEAD_UNSUBSCRIBED';
  /** Whether the payload also has the profile URL. */
  hasProfile: boolean;
  /** Whether the sequencer posts it twice. */
  isRepeated: boolean;
  /** Whether endpoints fail meanwhile. */
  isRefused: boolean;
  source: 'demo-smartlead' | 'holds' | 'counts';
}

const posts: fc.Arbitrary<Post[]> = fc.array(
  fc.record({
    person: fc.constantFrom(...PEOPLE),
    type: fc.constantFrom<Post['type']>(
      'EMAIL_SENT',
      'EMAIL_OPEN',
      'EMAIL_REPLY',
      'EMAIL_BOUNCE',
      'LEAD_CATEGORY_UPDATED',
      'LEAD_UNSUBSCRIBED',
    ),
    hasProfile: fc.boolean(),
    isRepeated: fc.boolean(),
    isRefused: fc.boolean(),
    source: fc.constantFrom<Post['source']>('demo-smartlead', 'holds', 'counts'),
  }),
  { minLength: 8, maxLength: 12 },
);

const post = (changes: Partial<Post>): Post => ({
  person: 'ada',
  type: 'EMAIL_SENT',
  hasProfile: true,
  isRepeated: true,
  isRefused: true,
  source: 'holds',
  ...changes,
});

/** Leaves a row in every table that is counted: Bob is released by his reply, and Ada waits. */
const EVERYTHING = [
  post({}),
  post({ person: 'bob', type: 'EMAIL_REPLY' }),
  post({ type: 'LEAD_CATEGORY_UPDATED', source: 'counts' }),
  post({ type: 'EMAIL_REPLY', source: 'demo-smartlead' }),
];

test('the counts of a person equal what an erasure would erase', async () => {
  const on = await startErasureServer(anyBackend);
  onTestFinished(() => on.server.close());
  await on.reset();
  const perform: typeof performAdmin = (ctx, name, input) => performAdmin(ctx, name, input, 'a test');
  const { ctx } = on.server.running;
  const paths: Record<string, string> = {};
  for (const [name, policy] of [
    ['holds', { holdUntil: { reply: true } }],
    ['counts', { lastValues: ['openCount', 'lastEventAt'] }],
  ] as const) {
    const added = await perform(ctx, 'sources/add', { connectionId: 1, platform: 'smartlead' }, 'a test');
    paths[name] = added.source.url.split('/').at(-1) ?? '';
    await perform(ctx, 'sources/set-policy', { id: added.source.id, policy }, 'a test');
  }
  const list = { connectionId: 1, listName: 'Not now', platform: 'smartlead', blockType: 'ADDRESS' } as const;
  const suppresses = ['bounces', 'category:Not now'];
  await perform(ctx, 'blocklists/add', { ...list, sequencerToken: 'key', suppresses }, 'a test');
  let posted = 0;
  const tables = new Set<string>();
  const receive = async ({ person, type, hasProfile, isRepeated, isRefused, source }: Post) => {
    posted += 1;
    const body = {
      event_type: type,
      to_email: emailOf(person),
      stats_id: `post-${posted}`,
      event_timestamp: on.server.clock.now().toISOString(),
      ...(type === 'EMAIL_REPLY' ? { reply_body: 'Yes' } : {}),
      ...(type === 'LEAD_CATEGORY_UPDATED' ? { lead_category: { new_id: '2', new_name: 'Not now' } } : {}),
      ...(hasProfile ? { lead_data: { linkedin_profile: profileOf(person) } } : {}),
    };
    on.server.receiver.answerAlways(isRefused ? 503 : 200);
    for (let times = isRepeated ? 2 : 1; times > 0; times -= 1) {
      await on.server.receive(body, paths[source] ?? source);
      await on.server.settle();
    }
  };
  await fc.assert(
    fc.asyncProperty(posts, async (all) => {
      for (const post of all) await receive(post);
      await on.server.waitAndSettle(DELAY_MS);
      for (const name of PEOPLE) {
        for (const identity of [{ email: emailOf(name) }, { profileUrl: profileOf(name) }]) {
          const person = Object.values(identity)[0] ?? '';
          const { counts } = await perform(ctx, 'persons/show', { person, accountId: 1 }, 'a test');
          for (const { table } of counts) tables.add(table);
          const { erased } = await on.erase({ ...identity, accountId: 1 });
          const byTable = (rows: typeof erased) =>
            rows.toSorted((a, b) => (a.table + a.what < b.table + b.what ? -1 : 1));
          expect({ person, found: byTable([...counts]) }).toEqual({ person, found: byTable([...erased]) });
        }
      }
    }),
    { numRuns: 2, examples: [[EVERYTHING]] },
  );
  expect([...tables].toSorted()).toEqual([
    'category_signals',
    'crm_records',
    'deliveries',
    'held_events',
    'inbound_events',
    'last_values',
    'released_leads',
    'requests',
    'suppressions',
    'syncs',
  ]);
}, 120_000);
