/** Sources of a platform of one's own: from the first receipts to a mapping that reads them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Administration, expectRefusal, makePipeline, openAdministration } from '../support/admin-harness.ts';
import { anyBackend } from '@svc/engine/test/backends';

const mapping = {
  fields: { eventName: 'event', email: 'lead.email', occurredAt: 'at', eventKey: 'id' },
  eventTypes: { 'mail.opened': 'EMAIL_OPEN' },
} as const;

describe('mappings of sources', () => {
  let admin: Administration;
  let run: Administration['run'];
  let connectionId: number;
  beforeAll(async () => {
    admin = await openAdministration(anyBackend);
    ({ run } = admin);
    connectionId = (await makePipeline(admin, 'one@example.com')).connection.id;
  });
  afterAll(async () => {
    await admin.close();
  });

  const addSource = async (given: object = {}) =>
    (await admin.runUnchecked('sources/add', {
      connectionId,
      platform: 'my-dialer',
      isConfirmed: true,
      ...given,
    })) as Awaited<ReturnType<typeof run<'sources/add'>>>;
  const receive = async (sourceId: number, body: object, headers: object = {}) => {
    await admin.ctx.db.query(
      `insert into requests (account_id, connection_id, source_id, path, headers, body, body_sha256, created_at)
        select connections.account_id, connections.id, sources.id, sources.path, $2, $3, 'x', $4
        from sources join connections on connections.id = sources.connection_id where sources.id = $1`,
      [sourceId, JSON.stringify(headers), Buffer.from(JSON.stringify(body)), admin.ctx.clock.now()],
    );
  };

  test('add: takes a platform of your own, and names what reads it', async () => {
    const { source, notices } = await addSource();
    expect(source).toMatchObject({ platform: 'my-dialer', mappingVersion: null });
    expect(notices.join()).toContain(`sources map --source ${source.id}`);
    const mapped = await addSource({ mapping });
    expect(mapped.source.mappingVersion).toBe(1);
    expect(mapped.notices.join()).not.toContain('does not read');
    await expectRefusal('invalid_input', addSource({ platform: 'My Dialer' }));
  });

  test('add: a platform that nothing reads needs confirmation before a source is made', async () => {
    const unconfirmed = (given: object) => addSource({ isConfirmed: false, ...given });
    const count = async () => (await run('sources/list', { connectionId })).sources.length;
    const before = await count();
    const misspelled = await expectRefusal('not_confirmed', unconfirmed({ platform: 'smartled' }));
    expect(misspelled).toContain('does not read events of smartled: did you mean smartlead? No source is made yet.');
    const own = await expectRefusal('not_confirmed', unconfirmed({}));
    expect(own).toContain('does not read events of my-dialer. No source is made yet.');
    expect(own).toContain('confirm with --yes');
    expect(await count()).toBe(before);
    for (const given of [{ mapping }, { platform: 'smartlead' }, { platform: 'salesloft' }]) {
      expect((await unconfirmed(given)).source.id).toBeGreaterThan(0);
    }
  });

  test('add: a platform with a ready mapping needs nothing else; one of the source comes before it', async () => {
    const { source, notices } = await addSource({ platform: 'woodpecker', isConfirmed: false });
    expect(source).toMatchObject({ eventCoverage: 'mapped', mappingVersion: null });
    expect(notices.join()).toContain('docs/sequencers/ready-mappings.md');
    const payload =
      '[{"method":"email_opened","prospect":{"email":"kim@example.org"},"timestamp":"2026-03-01T10:00:00Z"}]';
    const ofSource = { sourceId: source.id, payload };
    const tried = await run('sources/try', ofSource);
    expect(tried).toMatchObject({ readBy: 'ready mapping', events: [{ eventType: 'EMAIL_OPEN' }] });
    const { ready, versions } = await run('sources/mappings', { sourceId: source.id });
    expect(versions).toEqual([]);
    if (ready === null) throw new Error('There is no ready mapping.');
    const own = { ...ready, eventTypes: { ...ready.eventTypes, email_opened: 'EMAIL_SENT' } } as const;
    await run('sources/set-mapping', { sourceId: source.id, mapping: own });
    expect(await run('sources/try', ofSource)).toMatchObject({
      readBy: 'mapping',
      events: [{ eventType: 'EMAIL_SENT' }],
    });
    await run('sources/set-mapping', { sourceId: source.id, mapping: null });
    expect(await run('sources/try', ofSource)).toMatchObject({ readBy: 'ready mapping' });
    const misspelled = addSource({ platform: 'woodpeker', isConfirmed: false });
    expect(await expectRefusal('not_confirmed', misspelled)).toContain('did you mean woodpecker?');
  });

  test('set-mapping with null: removes the mapping as a version, and only once', async () => {
    const { source } = await addSource({ mapping });
    expect(await run('sources/set-mapping', { sourceId: source.id, mapping: null })).toMatchObject({
      version: 2,
      notices: [],
    });
    const { versions } = await run('sources/mappings', { sourceId: source.id });
    expect(versions.map((row) => [row.version, row.mapping])).toEqual([
      [2, null],
      [1, mapping],
    ]);
    const mappedOf = async () =>
      (await run('sources/list', {})).sources.find(({ id }) => id === source.id)?.mappingVersion;
    expect(await mappedOf()).toBeNull();
    const payload = '{"event":"mail.opened","lead":{"email":"kim@example.org"}}';
    expect(await run('sources/try', { sourceId: source.id, payload })).toMatchObject({ outcome: 'unparsed' });
    expect(await expectRefusal('conflict', run('sources/set-mapping', { sourceId: source.id, mapping: null }))).toBe(
      `Source ${source.id} has no mapping to remove.`,
    );
    expect(await run('sources/set-mapping', { sourceId: source.id, mapping })).toMatchObject({ version: 3 });
    expect(await mappedOf()).toBe(3);
  });

  test('a removed source takes its mappings with it, and those of others stay', async () => {
    const [removed, kept] = [await addSource({ mapping }), await addSource({ mapping })];
    await run('sources/remove', { id: removed.source.id, isConfirmed: true });
    await expectRefusal('not_found', run('sources/mappings', { sourceId: removed.source.id }));
    expect((await run('sources/mappings', { sourceId: kept.source.id })).versions).toHaveLength(1);
    const { rows } = await admin.ctx.db.query('select from source_mappings where source_id = $1', [removed.source.id]);
    expect(rows).toEqual([]);
  });

  test('try: a payload that is not JSON is refused', async () => {
    const { source } = await addSource({ mapping });
    expect(await expectRefusal('invalid_input', run('sources/try', { sourceId: source.id, payload: '{' }))).toContain(
      'not JSON',
    );
  });

  test('set-mapping: on a platform with an adapter, a notice says that the adapter reads first', async () => {
    const { source } = await addSource({ platform: 'smartlead' });
    const { notices } = await run('sources/set-mapping', { sourceId: source.id, mapping });
    expect(notices[0]).toContain('The adapter of smartlead reads first');
  });

  test('set-mapping: adds a version, keeps the earlier ones, and names the place of a mistake', async () => {
    const { source } = await addSource({ mapping });
    const next = { ...mapping, eventTypes: { 'mail.opened': 'EMAIL_OPEN', 'mail.sent': 'EMAIL_SENT' } } as const;
    expect(await run('sources/set-mapping', { sourceId: source.id, mapping: next })).toMatchObject({ version: 2 });
    const { versions } = await run('sources/mappings', { sourceId: source.id });
    expect(versions.map((row) => [row.version, row.mapping])).toEqual([
      [2, next],
      [1, mapping],
    ]);
    const wrong = { ...mapping, fields: { ...mapping.fields, email: ['lead.email', 'lead..mail'] } };
    expect(
      await expectRefusal(
        'invalid_input',
        admin.runUnchecked('sources/set-mapping', { sourceId: source.id, mapping: wrong }),
      ),
    ).toContain('mapping.fields.email.1: cannot be read from "..mail"');
    await expectRefusal('not_found', run('sources/set-mapping', { sourceId: 999_999, mapping }));
  });

  test('try: a stored request without its secrets, and what would be read from the newest ones', async () => {
    const { source } = await addSource();
    const lead = { email: 'kim@example.org' };
    await receive(source.id, { event: 'mail.opened', id: 'a1', lead, api_key: 'k-123456' });
    await receive(source.id, { event: 'mail.opened', id: 'a2', lead });
    await receive(source.id, { event: 'mail.strange', id: 'a3', lead });
    await receive(source.id, { event: 'mail.opened', id: 'a4' });
    const { requests: stored } = await run('requests/list', { sourceId: source.id });
    const first = stored.at(-1)?.id ?? 0;
    const tried = await run('sources/try', { sourceId: source.id, requestId: first, mapping });
    expect(tried).toMatchObject({ outcome: 'events', events: [{ eventType: 'EMAIL_OPEN' }], warnings: [] });
    expect(tried.items[0]?.unread).toEqual([{ path: 'api_key', value: '[hidden]' }]);
    expect(JSON.stringify(tried)).not.toContain('k-123456');
    expect(tried.requests).toEqual([
      { outcome: 'unparsed', what: expect.stringContaining('without an email address'), count: 1, lastId: first + 3 },
      {
        outcome: 'unparsed',
        what: 'the mapping has no event type for MAIL_STRANGE',
        count: 1,
        lastId: first + 2,
      },
      { outcome: 'events', what: 'EMAIL_OPEN', count: 2, lastId: first + 1 },
    ]);
    expect(tried.eventNames).toEqual([
      { name: 'mail.opened', count: 3, becomes: 'EMAIL_OPEN' },
      { name: 'mail.strange', count: 1, becomes: null },
    ]);
    const { source: other } = await addSource();
    await expectRefusal('not_found', run('sources/try', { sourceId: other.id, requestId: first }));
    await expectRefusal('invalid_input', run('sources/try', { sourceId: source.id }));
    await expectRefusal('invalid_input', run('sources/try', { sourceId: source.id, requestId: first, payload: '{}' }));
  });

  test('try and set-mapping: warn of a key that different payloads share', async () => {
    const { source } = await addSource();
    const opened = (at: string) => ({
      event: 'mail.opened',
      webhook_id: 'w1',
      lead: { email: 'kim@example.org' },
      at,
    });
    const shared = { ...mapping, fields: { ...mapping.fields, eventKey: 'webhook_id' } };
    await receive(source.id, opened('2026-03-01T10:00:00Z'));
    const payload = JSON.stringify(opened('2026-03-01T11:00:00Z'));
    const compare = [JSON.stringify(opened('2026-03-01T12:00:00Z'))];
    const tried = await run('sources/try', { sourceId: source.id, payload, compare, mapping: shared });
    expect(tried.warnings).toEqual([
      expect.stringMatching(/^The payload and payload 2 differ, but their EMAIL_OPEN has the same key/),
      expect.stringMatching(/^The payload and request \d+ differ, but/),
    ]);
    const keyless = { ...mapping, fields: { eventName: 'event', email: 'lead.email', occurredAt: 'at' } };
    const safe = await run('sources/try', { sourceId: source.id, payload, compare, mapping: keyless });
    expect(safe.warnings).toEqual([]);

    await receive(source.id, opened('2026-03-01T13:00:00Z'));
    const { notices } = await run('sources/set-mapping', { sourceId: source.id, mapping: shared });
    expect(notices.join('\n')).toMatch(/request \d+ and request \d+ differ, but their EMAIL_OPEN has the same key/);
  });

  test('propose-mapping and try: from receipts to fields; the audit log has no payload', async () => {
    const { source } = await addSource();
    expect(await expectRefusal('conflict', run('sources/map', { sourceId: source.id }))).toContain('no requests');
    await receive(source.id, {
      event: 'mail.opened',
      id: 'a1',
      lead: { email: 'kim@example.org' },
      created_at: '2026-03-01T10:00:00Z',
    });
    await receive(source.id, { event: 'mail.strange', id: 'a2', lead: { email: 'kim@example.org' } });
    const proposal = await run('sources/map', { sourceId: source.id });
    expect(proposal).toMatchObject({
      requestCount: 2,
      itemCount: 2,
      missing: [],
      mapping: { fields: { eventName: 'event', email: 'lead.email', eventKey: 'id', occurredAt: 'created_at' } },
      eventNames: [
        { name: 'mail.opened', type: 'EMAIL_OPEN' },
        { name: 'mail.strange', type: null },
      ],
      unused: [],
      warnings: [],
    });
    expect(JSON.stringify(proposal)).not.toContain('example.org');

    const payload = JSON.stringify({ event: 'mail.opened', lead: { email: 'Kim@example.org', age: 7 } });
    const without = await run('sources/try', { sourceId: source.id, payload });
    expect(without).toMatchObject({ outcome: 'unparsed', readBy: null, items: [] });
    const tried = await run('sources/try', { sourceId: source.id, payload, mapping: proposal.mapping });
    expect(tried).toMatchObject({ outcome: 'events', readBy: 'mapping', events: [{ eventType: 'EMAIL_OPEN' }] });
    expect(tried.items).toEqual([
      {
        fields: [
          { field: 'eventName', path: 'event', value: 'MAIL_OPENED' },
          { field: 'email', path: 'lead.email', value: 'kim@example.org' },
        ],
        unread: [{ path: 'lead.age', value: '7' }],
      },
    ]);
    const { entries } = await run('audit/list', {});
    expect(entries.map(({ operation }) => operation)).not.toContain('sources/try');
    expect(JSON.stringify(entries)).not.toContain('kim@example.org');
  });
});
