import { createMock } from '@svc/mock';
import { createClient } from '@svc/sdk';
import { expect, test } from 'vitest';

test('a failed sync can be retried', async () => {
  const mock = createMock({ now: '2026-01-15T12:00:00Z' });
  const apiKey = mock.keys.osapi_demo_write;
  const client = createClient({ baseUrl: 'https://api.example.com', apiKey, fetch: mock.fetch });

  const failed = await mock.db.syncs.create({ status: 'error', toEmail: 'kim@example.org' });
  await client.syncs.retry(failed.id);
  await mock.settle(); // a retry only enqueues, as on the real service

  const [newest] = await client.syncs.list({ from: '2026-01-15', to: '2026-01-16' }).toArray({ limit: 1 });
  expect(newest).toMatchObject({ status: 'success', toEmail: 'kim@example.org' });
  mock.verify({ operation: 'retrySync', times: 1 });
  await mock.close();
});

test('an event that a sequencer posts is written to the CRM', async () => {
  const mock = createMock({ now: '2026-01-15T12:00:00Z' });
  const event = { event_type: 'EMAIL_REPLY', to_email: 'kim@example.org', reply_body: 'Yes!' };
  await mock.fetch('/webhooks/demo-smartlead', { method: 'POST', body: JSON.stringify(event) });
  await mock.settle();

  expect(mock.db.syncs.findFirst()).toMatchObject({ eventType: 'EMAIL_REPLY', toEmail: 'kim@example.org' });
  await mock.close();
});
