import { readFileSync } from 'node:fs';
import { operations } from '@svc/contract/operations';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type MockService, startMockService } from './support/mock-service.ts';
import { runInProcess } from './support/run-in-process.ts';
import { buildCli } from './support/run-cli.ts';

let service: MockService;
let commandIds: string[];

beforeAll(async () => {
  await buildCli();
  const manifest = JSON.parse(readFileSync(new URL('../oclif.manifest.json', import.meta.url), 'utf8'));
  commandIds = Object.keys(manifest.commands);
  service = await startMockService({}, runInProcess);
  service.mock.snapshot('before');
});
afterAll(() => service.close());
beforeEach(() => service.mock.restore('before'));

const RANGE = ['--from', '2026-01-01', '--to', '2026-01-15'];

/** A command line for each operation of the API. `api` calls any operation, so it does not count. */
const COMMAND_OF: Readonly<Record<(typeof operations)[number]['id'], readonly string[]>> = {
  getHealthLive: ['health', '--live'],
  getHealthReady: ['health'],
  getOpenapiJson: ['openapi'],
  getOpenapiYaml: ['openapi', '--yaml'],
  getMe: ['whoami'],
  getAccountStatus: ['status'],
  getAccountMetrics: ['metrics', ...RANGE],
  listConnections: ['connections', 'list'],
  listSources: ['sources', 'list'],
  listSourceRequests: ['requests', 'list', '--source', '1', ...RANGE],
  listSourceSyncs: ['syncs', 'list', '--source', '1', ...RANGE],
  listDestinations: ['destinations', 'list'],
  listReplyRelays: ['relays', 'list'],
  getDestination: ['destinations', 'get', '1'],
  listDestinationDeliveries: ['deliveries', 'list', '--destination', '1', ...RANGE],
  getDestinationDeliveryMetrics: ['metrics', 'deliveries', '--destination', '1', ...RANGE],
  replayDelivery: ['deliveries', 'replay', '3607', '--destination', '4'],
  getContactOutreach: ['outreach', 'lookup', '--email', 'replied@example.com'],
  listBlocklists: ['blocklists', 'list'],
  pauseBlocklist: ['blocklists', 'pause', '1'],
  resyncBlocklist: ['blocklists', 'resync', '1'],
  listRequests: ['requests', 'list', ...RANGE],
  getRequestMetrics: ['metrics', 'requests', ...RANGE],
  listSyncs: ['syncs', 'list', ...RANGE],
  getSyncMetrics: ['metrics', 'syncs', ...RANGE],
  getSync: ['syncs', 'get', '1001'],
  retrySync: ['syncs', 'retry', '2657'],
  listDeliveries: ['deliveries', 'list', ...RANGE],
  listWebhooks: ['webhooks', 'list'],
  createWebhook: ['webhooks', 'create', '--url', 'https://hooks.example.com/in'],
  getWebhook: ['webhooks', 'get', 'oswhk_demo01'],
  updateWebhook: ['webhooks', 'update', 'oswhk_demo01', '--disable'],
  deleteWebhook: ['webhooks', 'delete', 'oswhk_demo01', '--yes'],
  rotateWebhookSecret: ['webhooks', 'rotate-secret', 'oswhk_demo01', '--yes'],
  testWebhook: ['webhooks', 'test', 'oswhk_demo01'],
  listWebhookDeliveries: ['webhooks', 'deliveries', 'oswhk_demo01'],
  replayWebhookDelivery: ['webhooks', 'replay', 'oswhk_demo04', 'oswhd_demo0001'],
  listEvents: ['events', 'list'],
  getEvent: ['events', 'get', 'osevt_demo0001'],
};

/** Returns the id of the command that is called. */
function commandOf(argv: readonly string[]): string {
  const [topic = '', verb = ''] = argv;
  return commandIds.includes(`${topic}:${verb}`) ? `${topic}:${verb}` : topic;
}

test('every operation of the contract has a command', () => {
  expect(Object.keys(COMMAND_OF).toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
  const missing = Object.values(COMMAND_OF).filter((argv) => !commandIds.includes(commandOf(argv)));
  expect(missing).toEqual([]);
  expect(Object.values(COMMAND_OF).filter(([word]) => word === 'api')).toEqual([]);
});

describe('the command calls its operation', () => {
  test.each(operations.map(({ id }) => id))('%s', async (operation) => {
    expect(await service.svc(...COMMAND_OF[operation])).toMatchObject({ code: 0 });
    expect(service.mock.journal.find({ operation }).map(({ status }) => status)).toContainEqual(
      operations.find(({ id }) => id === operation)?.successStatus,
    );
  });
});
