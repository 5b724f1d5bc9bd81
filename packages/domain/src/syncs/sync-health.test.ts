import type { SyncStatus } from '@svc/contract/vocabulary';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { testRuleCases } from '../../test/rule-suite.ts';
import {
  describeSyncError,
  HEALTHY,
  nextSyncHealth,
  type SyncHealthState,
  syncFailedEvent,
  syncRecoveredEvent,
} from './sync-health.ts';

interface HealthInput {
  start?: { consecutiveFailures: number; failingSince: null };
  outcomes: { status: SyncStatus; at: string }[];
}

testRuleCases('sync-health', ({ rule }) => {
  rule<HealthInput>('nextSyncHealth', ({ start, outcomes }) => {
    let state: SyncHealthState = start ?? HEALTHY;
    return outcomes.map(({ status, at }) => {
      const step = nextSyncHealth(state, { status, at: new Date(at) });
      state = step.state;
      return { ...step.state, transition: step.transition };
    });
  });
});

test('failed and recovered alternate, and each incident starts with three failures in a row', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom<SyncStatus>('error', 'error', 'error', 'warning', 'success')), (statuses) => {
      let state = HEALTHY;
      const transitions: string[] = [];
      for (const [at, status] of statuses.entries()) {
        const step = nextSyncHealth(state, { status, at: new Date(at) });
        state = step.state;
        if (step.transition !== null) transitions.push(step.transition);
      }
      // Count independently: an incident is a run of at least three errors.
      const runs =
        statuses
          .map((status) => (status === 'error' ? 'e' : 's'))
          .join('')
          .match(/e{3,}s?/g) ?? [];
      expect(transitions).toEqual(runs.flatMap((run) => (run.endsWith('s') ? ['failed', 'recovered'] : ['failed'])));
    }),
  );
});

describe('events of sync health', () => {
  const row = { connectionId: 11, crm: 'HUBSPOT', sourceId: 4, sourcePlatform: 'smartlead', secret: 'not for events' };
  const details = { error: { message: 'Property does not exist' }, dashboardUrl: 'https://dashboard.example.com/' };

  test('sync.failed says what went wrong and how to fix it, with the dashboard link', () => {
    expect(syncFailedEvent(row, details)).toEqual({
      type: 'sync.failed',
      summary: 'Syncs from smartlead source 4 to HUBSPOT are failing',
      data: {
        connectionId: 11,
        crm: 'HUBSPOT',
        sourceId: 4,
        sourcePlatform: 'smartlead',
        reason: '3 syncs in a row failed. The last one: Property does not exist',
        remediation:
          "Check the CRM's access and field mapping, and reconnect it if access was withdrawn: https://dashboard.example.com/connections/11 (then retry the failed syncs)",
      },
    });
  });

  test('sync.failed advises no retry for a CRM that does not support it', () => {
    const { data } = syncFailedEvent({ ...row, crm: 'PIPEDRIVE' }, details);
    expect(data.remediation).toMatch(/https:\/\/dashboard\.example\.com\/connections\/11$/);
  });

  test('sync.recovered says when the pair started failing', () => {
    expect(syncRecoveredEvent(row, new Date('2026-01-31T09:30:00Z'))).toEqual({
      type: 'sync.recovered',
      summary: 'Syncs from smartlead source 4 to HUBSPOT work again',
      data: {
        connectionId: 11,
        crm: 'HUBSPOT',
        sourceId: 4,
        sourcePlatform: 'smartlead',
        failedSince: '2026-01-31T09:30:00.000Z',
      },
    });
  });

  test.each([
    ['text', ' Rate limit exceeded ', 'Rate limit exceeded'],
    ['a message', { status: 400, message: 'Bad property' }, 'Bad property'],
    ['a message that is no text', { message: 5 }, '{"message":5}'],
    ['a list', [{ errorCode: 'DUPLICATE' }], '[{"errorCode":"DUPLICATE"}]'],
    ['nothing', null, 'the CRM gave no reason'],
    ['an empty text', ' ', 'the CRM gave no reason'],
    ['a number', 7, 'the CRM gave no reason'],
    ['a text of exactly 500 characters', 'x'.repeat(500), 'x'.repeat(500)],
    ['a longer text', 'x'.repeat(501), `${'x'.repeat(500)}...`],
  ])('describeSyncError reads %s', (_name, error, text) => {
    expect(describeSyncError(error)).toBe(text);
  });
});
