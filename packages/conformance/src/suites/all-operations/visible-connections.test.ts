/**
 * The connections that each key sees, as literal ids. Other cases use the domain's rule, and
 * would not notice a change there.
 */
import { describe, expect, test } from 'vitest';
import { onEveryTarget } from '../../harness/suite.ts';

/** Connection 4 of the main account is not API-enabled; 902 is an extra fixture. */
const VISIBLE: readonly (readonly [key: string, connectionIds: readonly number[]])[] = [
  ['osapi_demo_read', [1, 2, 3]],
  ['osapi_demo_write', [1, 2, 3]],
  ['osapi_demo_connection_read', [1]],
  ['osapi_demo_connection_salesforce', [2]],
  ['osapi_demo_connection_no_api', []],
  ['osapi_demo_other', [5, 902]],
  ['osapi_demo_no_webhooks', [7]],
];

onEveryTarget((api) => {
  const idsOf = (rows: readonly { id?: number; connectionId?: number }[]) =>
    rows.map((row) => row.connectionId ?? row.id);

  describe('listConnections', () => {
    test.each(VISIBLE)('200 to %s with %j', async (key, ids) => {
      expect(idsOf((await api.read('listConnections', { key })).connections)).toEqual(ids);
    });
  });

  describe('getMe', () => {
    test.each(VISIBLE)('200 to %s with %j', async (key, ids) => {
      expect(idsOf((await api.read('getMe', { key })).connections)).toEqual(ids);
    });
  });

  describe('getAccountStatus', () => {
    test.each(VISIBLE)('200 to %s with %j', async (key, ids) => {
      expect(idsOf((await api.read('getAccountStatus', { key })).connections)).toEqual(ids);
    });
  });
});
