/** The option of a source that lets bounces mark the contact reaches the CRM. */
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { updateSource } from '@svc/operations/implemented/sources';
import { backends } from '@svc/engine/test/backends';
import { startTestServer } from '../support/harness.ts';

const bounce = JSON.parse(
  await readFile(new URL('../../../../fixtures/payloads/smartlead/email-bounce.json', import.meta.url), 'utf8'),
);

describe.each(backends)('state fields on $name', (backend) => {
  test.skipIf(!backend.isAvailable)(
    'a bounce marks the contact only for a source that writes state fields',
    async () => {
      const server = await startTestServer(backend);
      await server.db.query('delete from jobs');
      server.crm.reset();
      const markOf = async (lead: string) => {
        await server.post('/webhooks/demo-smartlead', {
          ...bounce,
          stats_id: lead,
          sl_lead_email: lead,
          to_email: lead,
        });
        await server.running.runner.runDue();
        return server.crm.contacts().find(({ properties }) => properties['email'] === lead)?.properties[
          'svc_bounced_at'
        ];
      };
      expect(await markOf('off@example.org')).toBeUndefined();
      const { rows } = await server.db.query<{ id: number }>(`select id from sources where path = 'demo-smartlead'`);
      await updateSource.run(server.running.ctx, { id: rows[0]?.id ?? 0, writeStateFields: true });
      expect(await markOf('on@example.org')).toMatch(/^20\d\d-/);
      await server.close();
    },
  );
});
