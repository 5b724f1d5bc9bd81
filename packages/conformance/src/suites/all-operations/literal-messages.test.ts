/**
 * The literal messages that clients may compare. Other cases take them from the
 * contract, and would not notice a change there.
 */
import { describe, expect, test } from 'vitest';
import type { Call } from '../../harness/client.ts';
import { FETCHING_LIST_ID } from '../../harness/extra-fixtures.ts';
import { onEveryTarget } from '../../harness/suite.ts';
import { findRow, visibleRows, visibleSyncs, WORLD } from '../../harness/world.ts';

const WRITE = 'osapi_demo_write';
const READ = 'osapi_demo_read';
const NO_LIST = findRow(
  visibleRows(WRITE, WORLD.blocklists),
  (row) => row.connectionId === 2,
  'list without capability',
).id;
const NO_SOURCE = findRow(
  visibleRows(WRITE, WORLD.blocklists),
  (row) => row.crmListId === null,
  'list without source',
).id;
const SUCCESS = findRow(visibleSyncs(WRITE), ({ status }) => status === 'success', 'successful sync').id;
const CRM_OF = new Map(WORLD.connections.map(({ id, crm }) => [id, crm]));
const UNSUPPORTED = findRow(
  visibleSyncs(WRITE),
  (row) =>
    row.status === 'error' &&
    row.sourceId !== null &&
    row.payloadId !== null &&
    CRM_OF.get(row.connectionId) === 'PIPEDRIVE',
  'failed sync to a CRM without retry',
).id;

const REASONS: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
};

onEveryTarget(
  (api) => {
    const prove = async (
      operationId: Parameters<typeof api.call>[0],
      call: Call,
      statusCode: number,
      message: string,
    ): Promise<void> => {
      const answer = await api.call(operationId, call);
      expect(answer.json).toEqual({ statusCode, message, error: REASONS[statusCode] });
    };

    describe('getMe', () => {
      test('401 message', () => prove('getMe', { key: 'osapi_nobody' }, 401, 'Invalid API key'));
      test('403 message', () =>
        prove('getMe', { key: 'osapi_demo_no_api' }, 403, 'API access is not enabled for this account'));
    });

    describe('listWebhooks', () => {
      test('403 message for a connection key', () =>
        prove(
          'listWebhooks',
          { key: 'osapi_demo_connection' },
          403,
          'Webhook endpoint management requires an account-scoped API key',
        ));
    });

    describe('listEvents', () => {
      test('403 message when webhooks are not enabled', () =>
        prove(
          'listEvents',
          { key: 'osapi_demo_no_webhooks' },
          403,
          'Platform webhooks are not enabled for this account',
        ));
    });

    describe('createWebhook', () => {
      test('403 message for a read key', () =>
        prove('createWebhook', { key: READ, body: {} }, 403, "This endpoint requires the 'write' scope"));
    });

    const needsWrite = 'API key requires the "write" scope';

    describe('retrySync', () => {
      const retry = (id: number, key = WRITE): Call => ({ key, params: { id } });
      test('403 message for a read key', () => prove('retrySync', retry(SUCCESS, READ), 403, needsWrite));
      test('404 message', () => prove('retrySync', retry(999_999), 404, 'Sync 999999 not found'));
      test('409 message for a sync that did not fail', () =>
        prove('retrySync', retry(SUCCESS), 409, 'Sync is not eligible for retry'));
      test('409 message for another CRM', () =>
        prove('retrySync', retry(UNSUPPORTED), 409, 'Retry is only supported for HubSpot and Salesforce syncs'));
    });

    describe('replayDelivery', () => {
      const params = { id: 999_999, deliveryId: 1 };
      test('403 message for a read key', () => prove('replayDelivery', { key: READ, params }, 403, needsWrite));
      test('404 message', () => prove('replayDelivery', { key: WRITE, params }, 404, 'Destination 999999 not found'));
    });

    describe('pauseBlocklist', () => {
      const params = { id: 999_999 };
      test('403 message for a read key', () => prove('pauseBlocklist', { key: READ, params }, 403, needsWrite));
      test('404 message', () => prove('pauseBlocklist', { key: WRITE, params }, 404, 'Blocklist 999999 not found'));
    });

    describe('resyncBlocklist', () => {
      const resync = (id: number, key = WRITE): Call => ({ key, params: { id } });
      test('403 message for a read key', () => prove('resyncBlocklist', resync(NO_LIST, READ), 403, needsWrite));
      test('403 message when the connection has no block lists', () =>
        prove('resyncBlocklist', resync(NO_LIST), 403, 'Block lists are not enabled for this connection'));
      test('409 message for a list in progress', () =>
        prove('resyncBlocklist', resync(FETCHING_LIST_ID), 409, 'Blocklist resync already in progress'));
      test('409 message for a list without CRM source', () =>
        prove('resyncBlocklist', resync(NO_SOURCE), 409, 'Blocklist has no CRM source to resync from'));
    });
  },
  { workers: 'off' },
);
