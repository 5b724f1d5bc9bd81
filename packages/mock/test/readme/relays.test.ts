import { createMock } from '@svc/mock';
import { expect, test } from 'vitest';

test('the rep gets the reply once, also when the mail server is busy', async () => {
  const mock = createMock({ now: '2026-01-15T12:00:00Z' });
  mock.faults.add({ operations: ['mail'], host: 'example.com', times: 1, effect: { kind: 'status', status: 451 } });

  const body = JSON.stringify({ event_type: 'EMAIL_REPLY', to_email: 'kim@lead.example', reply_body: 'Yes!' });
  await mock.fetch('https://api.example.com/webhooks/demo-smartlead', { method: 'POST', body });
  await mock.clock.advance('15m'); // the relay waits five minutes, the next attempt one to six more

  const attempts = mock.mails.find({ to: 'sam.rivera@example.com' });
  expect(attempts.map(({ status, smtpCode }) => [status, smtpCode])).toEqual([
    ['retry', 451],
    ['sent', 250],
  ]);
  expect(attempts[1]?.mail).toMatchObject({ replyTo: { address: 'kim@lead.example' } });
  await mock.close();
});
