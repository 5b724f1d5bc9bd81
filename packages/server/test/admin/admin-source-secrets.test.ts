/** Administration of the secrets of sources. How posts are refused: `test/http/source-secrets.test.ts`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Administration, expectRefusal, makePipeline, openAdministration } from '../support/admin-harness.ts';
import { anyBackend } from '@svc/engine/test/backends';

describe('administration of source secrets', () => {
  let admin: Administration;
  let run: Administration['run'];
  let smartleadId: number;
  let instantlyId: number;
  let connectionId: number;
  beforeAll(async () => {
    admin = await openAdministration(anyBackend);
    ({ run } = admin);
    const { source, connection } = await makePipeline(admin, 'one@example.com');
    smartleadId = source.id;
    connectionId = connection.id;
    const added = await run('sources/add', { connectionId: connection.id, platform: 'instantly' });
    instantlyId = added.source.id;
    expect(added.source.authenticity).toEqual({ secret: 'off', accepted: [], refused: [] });
  });
  afterAll(async () => {
    await admin.close();
  });

  test('a secret is stored encrypted, shown by no list, and left out of the audit log', async () => {
    const result = await run('sources/set-secret', { id: smartleadId, secret: 'searched-for' });
    expect(result).toEqual({
      id: smartleadId,
      ...{ check: 'hmac-sha256', name: 'x-smartlead-signature', keptUntil: null, generated: null, notices: [] },
    });
    const { rows } = await admin.ctx.db.query('select * from sources, audit_log');
    const shown = [rows, await run('sources/list', {}), await run('audit/list', {})];
    expect(JSON.stringify(shown)).not.toContain('searched-for');
  });

  test('a generated secret is only in the result', async () => {
    const { generated } = await run('sources/set-secret', { id: smartleadId });
    expect(generated).toMatch(/^[0-9a-z]{52}$/);
    expect(JSON.stringify(await run('sources/list', {}))).not.toContain(generated);
  });

  test('a platform without a documented signature needs a header', async () => {
    const message = await expectRefusal('invalid_input', run('sources/set-secret', { id: instantlyId, secret: 'x' }));
    expect(message).toBe(
      'header: no signature of instantly is documented. Name a header that it sends with every post: --header X-Webhook-Secret',
    );
  });

  test('the ready mapping of a platform says how its posts are signed', async () => {
    const { source, notices } = await run('sources/add', { connectionId, platform: 'warmysender' });
    expect(notices).toContainEqual(expect.stringMatching(/^At WarmySender: replies by mail have no text/));
    expect(notices).toContainEqual(expect.stringContaining(`sources set-secret ${source.id}`));
    expect(await run('sources/set-secret', { id: source.id, secret: 'whsec_x', tolerance: '1h' })).toMatchObject({
      check: 'timed-hmac-sha256',
      name: 'x-warmy-signature',
    });
    const { sources } = await run('sources/list', {});
    expect(sources.find(({ id }) => id === source.id)?.authenticity.accepted).toEqual([
      { check: 'timed-hmac-sha256', name: 'x-warmy-signature', toleranceSeconds: 3_600, validUntil: null },
    ]);
  });

  test('a generated secret of Standard Webhooks has their form', async () => {
    const { check, name, generated } = await run('sources/set-secret', { id: instantlyId, standardWebhooks: true });
    expect([check, name]).toEqual(['standard-webhooks', 'webhook-signature']);
    expect(generated).toMatch(/^whsec_[\w+/]{43}=$/);
  });

  test.each<[object, string]>([
    [{ header: 'Content-Type' }, 'header: must not be a header that HTTP clients or proxies set themselves'],
    [{ header: 'X Secret' }, 'header: must be the name of a header such as X-Webhook-Secret'],
    [{ header: 'x-a', hmacHeader: 'x-b' }, 'header: use either header or hmacHeader'],
    [{ timedHmacHeader: 'x-a', standardWebhooks: true }, 'use either timedHmacHeader or standardWebhooks'],
    [{ header: 'x-a', tolerance: '1h' }, 'tolerance: is for signatures with a time, and x-a has none'],
    [{ timedHmacHeader: 'x-a', tolerance: '8d' }, 'tolerance: must be a duration from 1s to 7d, such as 5m'],
    [{ standardWebhooks: true, secret: 'whsec_' }, 'secret: a secret of Standard Webhooks is base64, after whsec_'],
    [{ header: 'x-a', keepOld: '91d' }, 'keepOld: must be 0s to 90d from now'],
    [{ header: 'x-a', keepOld: 'never' }, 'keepOld must be a time such as 7d'],
    [{ header: 'x-a', secret: 'two\nlines' }, 'secret: must be one line'],
  ])('refuses %j', async (input, message) => {
    const call = admin.runUnchecked('sources/set-secret', { id: instantlyId, secret: 'x', ...input });
    expect(await expectRefusal('invalid_input', call)).toContain(message);
  });

  test('an unknown source has no secret', async () => {
    await expectRefusal('not_found', run('sources/set-secret', { id: 999, secret: 'x' }));
    await expectRefusal('not_found', run('sources/remove-secret', { id: 999 }));
  });

  test('three secrets are never valid at a time', async () => {
    for (const secret of ['a', 'b', 'c']) {
      await run('sources/set-secret', { id: instantlyId, secret, header: 'x-s' });
    }
    const { sources } = await run('sources/list', {});
    const { accepted } = sources.find(({ id }) => id === instantlyId)?.authenticity ?? {};
    expect(accepted?.map(({ validUntil }) => validUntil)).toEqual([null, '2026-04-01T12:00:00.000Z']);
  });

  test('removing reports whether there was one', async () => {
    expect(await run('sources/remove-secret', { id: instantlyId })).toEqual({ id: instantlyId, hadSecret: true });
    expect(await run('sources/remove-secret', { id: instantlyId })).toEqual({ id: instantlyId, hadSecret: false });
  });
});
