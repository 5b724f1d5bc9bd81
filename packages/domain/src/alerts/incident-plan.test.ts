import { describe, expect, test } from 'vitest';
import { type AlertCondition, isInterest, planIncidents } from './incident-plan.ts';

const NOW = new Date('2026-03-31T12:00:00.000Z');
const minutesAgo = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000);
const condition: AlertCondition = {
  ...{ topic: 'crm-disconnected', subject: 'connection 3', accountId: 1, connectionId: 3, sourceId: null, facts: {} },
};
const open = (clearedAt: Date | null) => [{ id: 7, topic: condition.topic, subject: condition.subject, clearedAt }];
const NOTHING = { begun: [], cleared: [], returned: [], ended: [] };

describe('an incident', () => {
  test('begins once, and stays while its condition holds', () => {
    expect(planIncidents([], [condition], NOW)).toEqual({ ...NOTHING, begun: [condition] });
    expect(planIncidents(open(null), [condition], NOW)).toEqual(NOTHING);
    const other = { ...condition, subject: 'connection 4' };
    expect(planIncidents(open(null), [condition, other], NOW)).toEqual({ ...NOTHING, begun: [other] });
  });

  test('ends after ten calm minutes; before, it may come back', () => {
    expect(planIncidents(open(null), [], NOW)).toEqual({ ...NOTHING, cleared: [7] });
    expect(planIncidents(open(minutesAgo(9)), [], NOW)).toEqual(NOTHING);
    expect(planIncidents(open(minutesAgo(9)), [condition], NOW)).toEqual({ ...NOTHING, returned: [7] });
    expect(planIncidents(open(minutesAgo(10)), [], NOW)).toEqual({ ...NOTHING, ended: [7] });
  });
});

test.each([
  ['LEAD_CATEGORY_UPDATED', 'Interested', true],
  ['LEAD_CATEGORY_UPDATED', 'Meeting Request', true],
  ['LEAD_CATEGORY_UPDATED', 'Not Interested', false],
  ['LEAD_CATEGORY_UPDATED', 'Out Of Office', false],
  ['EMAIL_REPLY', 'Interested', false],
])('%s with %s is interest: %s', (eventType, name, expected) => {
  expect(isInterest({ eventType, category: { id: null, name } })).toBe(expected);
});
