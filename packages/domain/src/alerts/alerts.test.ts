import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ALERT_TOPICS, type Alert, type AlertIncident, describeIncident, describeTest } from './alert.ts';
import { judgeAnswer, nextAlertAttempt } from './alert-answer.ts';
import { toAlertJson, toAlertMail } from './alert-forms.ts';
import { findChannelUrlProblem } from './channel-target.ts';
import { toDiscordBody, toSlackBody, toTeamsBody } from './chat-forms.ts';

const OPENED = new Date('2026-03-31T12:00:00.000Z');
const incident: AlertIncident = {
  ...{ id: 7, topic: 'crm-disconnected', accountId: 1, connectionId: 3, sourceId: null },
  ...{ facts: { crm: 'HUBSPOT', connectionId: 3 }, openedAt: OPENED, clearedAt: null },
};
const DASHBOARD = 'https://svc.example.com/dashboard';

describe('the text of an alert', () => {
  test('says what happened, since when, what to do and where', () => {
    expect(describeIncident('opened', incident, DASHBOARD)).toEqual({
      kind: 'opened',
      title: 'HUBSPOT connection 3 is disconnected, so its events are not written',
      lines: [
        'Account 1, since 2026-03-31 12:00 UTC.',
        'Connect it again; svc-server doctor says how. Then retry the syncs that failed.',
      ],
      link: { text: 'Open the dashboard', url: `${DASHBOARD}/connections/3` },
    });
  });

  test('a recovery says how long it took; without a public dashboard there is no link', () => {
    const clearedAt = new Date('2026-03-31T13:30:00.000Z');
    expect(describeIncident('recovered', { ...incident, clearedAt }, null)).toEqual({
      kind: 'recovered',
      title: 'Recovered: HUBSPOT connection 3 is connected',
      lines: ['Account 1, 2026-03-31 12:00 UTC until 2026-03-31 13:30 UTC.'],
      link: null,
    });
  });

  test.each(ALERT_TOPICS)('%s has whole sentences', (topic) => {
    const facts = {
      ...{ crm: 'HUBSPOT', connectionId: 3, platform: 'smartlead', sourceId: 5, blocklistId: 6, requestId: 8 },
      ...{ failures: 3, silentHours: 9, usualHours: 2, unparsed: 5, received: 9, percent: 92 },
    };
    for (const kind of ['opened', 'recovered'] as const) {
      const { title, lines } = describeIncident(kind, { ...incident, topic, facts, sourceId: 5 }, DASHBOARD);
      expect([title, ...lines].join(' ')).not.toMatch(/undefined|null|NaN/);
      expect(title).not.toMatch(/\.$/);
      for (const line of lines) expect(line).toMatch(/\.$/);
    }
  });
});

const anyAlert: fc.Arbitrary<Alert> = fc.record({
  kind: fc.constantFrom('opened', 'recovered', 'test'),
  title: fc.oneof(
    fc.string({ unit: 'binary', maxLength: 1_000 }),
    fc.string({ unit: fc.constantFrom('&', '<', '>', '*', '_', '|', '@', '[') }),
  ),
  lines: fc.array(
    fc.string({ unit: fc.constantFrom('&', '<!channel>', '@everyone', '*', '😀', 'x'), maxLength: 6_000 }),
    {
      minLength: 1,
      maxLength: 3,
    },
  ),
  link: fc.constantFrom(null, { text: 'Open <it>', url: `${DASHBOARD}/connections/3` }),
});

describe('the forms of chats keep the documented limits', () => {
  test('Slack: header 150, section 3,000, and nothing that mentions or links', () => {
    fc.assert(
      fc.property(anyAlert, (alert) => {
        const body = toSlackBody(alert) as {
          text: string;
          blocks: [{ text: { text: string } }, { text: { text: string } }];
        };
        expect(body.text.length).toBeLessThanOrEqual(3_000);
        expect(body.blocks[0].text.text.length).toBeLessThanOrEqual(150);
        const section = body.blocks[1].text.text;
        expect(section.length).toBeLessThanOrEqual(3_000);
        const own = alert.link === null ? '' : `\n<${alert.link.url}|Open &lt;it&gt;>`;
        expect(section.endsWith(own)).toBe(true);
        const texts = [body.text, section.slice(0, section.length - own.length)].join('');
        expect(texts).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
      }),
      { numRuns: 100 },
    );
  });

  test('Discord: title 256, description 4,096, no mentions', () => {
    fc.assert(
      fc.property(anyAlert, (alert) => {
        const body = toDiscordBody(alert) as {
          embeds: [{ title: string; description: string }];
          allowed_mentions: object;
        };
        const [{ title, description }] = body.embeds;
        expect(title.length).toBeLessThanOrEqual(256);
        expect(description.length).toBeLessThanOrEqual(4_096);
        expect(`${title} ${description}`).not.toMatch(/(?<!\\)[@*<]/);
        expect(body.allowed_mentions).toEqual({ parse: [] });
      }),
      { numRuns: 100 },
    );
  });

  test('Teams: one adaptive card below 28 KB whose text is escaped', () => {
    fc.assert(
      fc.property(anyAlert, (alert) => {
        const body = toTeamsBody(alert) as {
          attachments: [
            { contentType: string; content: { type: string; body: { text: string }[]; actions?: unknown } },
          ];
        };
        expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(28 * 1024);
        const [{ contentType, content }] = body.attachments;
        expect(contentType).toBe('application/vnd.microsoft.card.adaptive');
        expect(content.type).toBe('AdaptiveCard');
        for (const { text } of content.body) expect(text).not.toMatch(/(?<!\\)[*<@]/);
        expect(content.actions !== undefined).toBe(alert.link !== null);
      }),
      { numRuns: 100 },
    );
  });
});

test('a mail has one line as its subject, the same message id at each attempt, and escaped HTML', () => {
  const address = (text: string) => ({ name: '', address: text });
  const facts = { messageId: 9, createdAt: OPENED, incident };
  const from = address('svc@svc.example.com');
  const alert: Alert = { ...describeTest(1), title: 'A\r\nBcc: x@example.com <b>', lines: ['1 < 2'] };
  const mail = toAlertMail(alert, facts, { from, to: address('ops@example.com') });
  expect(mail.subject).toBe('A Bcc: x@example.com <b>');
  expect(mail.html).toContain('<p>1 &lt; 2</p>');
  expect(mail.messageId).toBe(toAlertMail(alert, facts, { from, to: address('ops@example.com') }).messageId);
  expect(mail.headers).toEqual({ 'Auto-Submitted': 'auto-generated' });
});

test('the documentation names each topic and shows the JSON as it is', () => {
  const docs = readFileSync(new URL('../../../../docs/alert-channels.md', import.meta.url), 'utf8');
  for (const topic of ALERT_TOPICS) expect(docs).toContain(`\n| \`${topic}\` |`);
  const shown: unknown = JSON.parse(/```json\n([^`]*)```/.exec(docs)?.[1] ?? '');
  const alert = describeIncident('opened', incident, DASHBOARD);
  expect(JSON.parse(toAlertJson(alert, { messageId: 9, createdAt: OPENED, incident }))).toEqual(shown);
});

test('the JSON for programs names rows by their ids', () => {
  const alert = describeIncident('opened', incident, DASHBOARD);
  expect(JSON.parse(toAlertJson(alert, { messageId: 9, createdAt: OPENED, incident }))).toEqual({
    ...{ id: 'alert_9', type: 'alert.opened', created: OPENED.toISOString(), summary: alert.title },
    data: {
      ...{ incidentId: 7, topic: 'crm-disconnected', accountId: 1, connectionId: 3, sourceId: null },
      ...{ facts: incident.facts, openedAt: OPENED.toISOString(), recoveredAt: null },
      ...{ remediation: alert.lines[1], url: `${DASHBOARD}/connections/3` },
    },
  });
});

describe('the answer of a channel', () => {
  test.each([
    ['slack', { status: 200, body: 'ok' }, { result: 'sent' }],
    ['discord', { status: 204 }, { result: 'sent' }],
    ['teams', { status: 202 }, { result: 'sent' }],
    ['slack', { status: 404, body: 'no_service' }, { result: 'failed', error: 'HTTP 404: no_service' }],
    [
      'slack',
      { status: 410, body: 'channel_is_archived' },
      { result: 'failed', error: 'HTTP 410: channel_is_archived' },
    ],
    ['slack', { status: 500, body: 'rollup_error' }, { result: 'retry', error: 'HTTP 500: rollup_error', waitMs: 0 }],
    ['slack', { status: 429, retryAfter: '30' }, { result: 'retry', error: 'HTTP 429', waitMs: 30_000 }],
    [
      'discord',
      { status: 429, body: '{"retry_after":1.5,"global":false}' },
      { result: 'retry', error: 'HTTP 429', waitMs: 1_500 },
    ],
    [
      'discord',
      { status: 404, body: '{"message":"Unknown Webhook","code":10015}' },
      { result: 'failed', error: 'HTTP 404: code 10015' },
    ],
    [
      'teams',
      {
        status: 200,
        body: 'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429 with ContextId x',
      },
      { result: 'retry', error: 'HTTP 429', waitMs: 0 },
    ],
    ['teams', { status: 401, body: 'https://secret.example.com/?sig=1' }, { result: 'failed', error: 'HTTP 401' }],
    ['webhook', { status: 401 }, { result: 'retry', error: 'HTTP 401', waitMs: 0 }],
    ['webhook', { status: 413 }, { result: 'failed', error: 'HTTP 413' }],
    ['webhook', { status: null, error: 'ECONNREFUSED' }, { result: 'retry', error: 'ECONNREFUSED', waitMs: 0 }],
    ['slack', { status: 429, retryAfter: '99999999' }, { result: 'retry', error: 'HTTP 429', waitMs: 3_600_000 }],
  ] as const)('%s %j', (kind, answer, verdict) => {
    expect(judgeAnswer(kind, answer)).toEqual(verdict);
  });

  test('is waited for as long as it asks, at least by the schedule of webhooks', () => {
    const next = (waitMs: number, attemptCount: number) =>
      nextAlertAttempt({ waitMs }, { attemptCount, jitterMs: 0, at: OPENED })?.getTime();
    expect(next(0, 1)).toBe(OPENED.getTime() + 60_000);
    expect(next(600_000, 1)).toBe(OPENED.getTime() + 600_000);
    expect(next(0, 8)).toBeUndefined();
  });
});

test('the retired connectors of Teams are refused, workflows are not', () => {
  expect(findChannelUrlProblem('teams', 'https://x.webhook.office.com/webhookb2/1')).toContain('workflow');
  expect(findChannelUrlProblem('teams', 'https://prod-1.westeurope.logic.azure.com/workflows/1')).toBeNull();
  expect(findChannelUrlProblem('slack', 'https://chat.example.com/hooks/1')).toBeNull();
});
