/** What `start` says that the server writes to, on both databases. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { countTargets } from '../../src/main/targets.sql.ts';
import { type Administration, makePipeline, openAdministration } from '../support/admin-harness.ts';
import { backends } from '@svc/engine/test/backends';

describe.each(backends)('targets on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('what the server writes to', () => {
    let admin: Administration;
    beforeEach(async () => {
      admin = await openAdministration(backend);
    });
    afterEach(async () => {
      await admin.close();
    });

    test('counts what is switched on, bound and has a token', async () => {
      expect(await countTargets(admin.ctx.db)).toEqual([]);
      const { account, connection, source } = await makePipeline(admin, 'kim@example.com');
      const connectionId = connection.id;
      const add = (url: string) => admin.run('destinations/add', { connectionId, url });
      const { destination } = await add('HTTPS://Crm.Example.com:8443/in?key=1');
      await add('https://unbound.example.com/in');
      await admin.run('destinations/bind', {
        destinationId: destination.id,
        sourceId: source.id,
        eventTypes: ['EMAIL_REPLY'],
        isDelayed: false,
      });
      await admin.run('blocklists/add', {
        connectionId,
        listName: 'Do not contact',
        crmListId: '88',
        platform: 'smartlead',
        blockType: 'ADDRESS',
        clientId: null,
        sequencerToken: 'key',
      });
      await admin.ctx.db.query(
        `insert into webhooks (id, account_id, url, secret, created_at, updated_at)
          select 'oswhk_' || n, $1, 'https://u:p@hooks.example.com/' || n, 'x', $2, $2 from generate_series(1, 2) n`,
        [account.id, admin.clock.now()],
      );
      // Forwarding, block lists and webhooks are off at first.
      const crm = { kind: 'connection', name: 'HUBSPOT', count: 1 };
      expect(await countTargets(admin.ctx.db)).toEqual([crm]);
      await admin.run('capabilities/set', { connectionId, destinations: true, blocklists: true });
      await admin.run('capabilities/set', { accountId: account.id, canUseWebhooks: true });
      await admin.ctx.db.query('update blocklists set is_enabled = true');
      expect(await countTargets(admin.ctx.db)).toEqual([
        { kind: 'block list', name: 'smartlead', count: 1 },
        crm,
        { kind: 'destination', name: 'crm.example.com:8443', count: 1 },
        { kind: 'webhook', name: 'hooks.example.com', count: 2 },
      ]);
      await admin.run('connections/disconnect', { id: connectionId });
      expect(await countTargets(admin.ctx.db)).not.toContainEqual(crm);
    });
  });
});
