import { expect, test } from 'vitest';
import { testRuleCases } from '../../test/rule-suite.ts';
import { assertSyncRetryable, type SyncRetryFacts, supportsRetry } from './sync-retry.ts';

testRuleCases('sync-retry', ({ rule }) => {
  rule<SyncRetryFacts>('assertSyncRetryable', assertSyncRetryable);
});

test('supportsRetry names the two CRM types', () => {
  expect(['HUBSPOT', 'SALESFORCE', 'PIPEDRIVE', ''].filter(supportsRetry)).toEqual(['HUBSPOT', 'SALESFORCE']);
});
