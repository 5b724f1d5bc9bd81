import { createMock } from '@svc/mock';
import { afterAll, expect, test } from 'vitest';

const mock = createMock({ now: '2026-01-15T12:00:00Z', scenario: 'leads-held' });
afterAll(() => mock.close());

test('a lead is written when it replies, or when an operator releases it', async () => {
  const post = async (event_type: string, to_email: string) => {
    const body = JSON.stringify({ event_type, to_email, stats_id: `${event_type} ${to_email}`, reply_body: 'Yes!' });
    await mock.fetch('/webhooks/demo-smartlead', { method: 'POST', body });
    await mock.settle();
  };
  const written = (toEmail: string) =>
    mock.db.syncs.findMany({ where: { toEmail }, orderBy: 'oldest' }).map(({ eventType }) => eventType);

  await post('EMAIL_SENT', 'kim@example.org');
  await post('EMAIL_SENT', 'lee@example.org');
  expect([written('kim@example.org'), written('lee@example.org')]).toEqual([[], []]);

  await post('EMAIL_REPLY', 'kim@example.org');
  expect(written('kim@example.org')).toEqual(['EMAIL_SENT', 'EMAIL_REPLY']);

  expect(mock.held.all()).toMatchObject([{ sourceId: 1, recipient: 'lee@example.org' }]);
  expect(mock.held.release({ recipient: 'lee@example.org' })).toBe(1);
  await mock.settle();
  expect(written('lee@example.org')).toEqual(['EMAIL_SENT']);
});
