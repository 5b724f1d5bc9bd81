/** Which addresses `svc open` finds. Nothing is opened, because stdout is no terminal. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startContractServer } from '../support/contract-server.ts';
import { ACCOUNT_STATUS } from '../support/contract-answers.ts';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { buildCli } from '../support/run-cli.ts';

let service: MockService;

beforeAll(async () => {
  await buildCli();
  service = await startMockService({ baseUrl: 'https://sync.example.com' }, runInProcess);
  // A connection without an issue.
  await service.mock.db.connections.update({ where: { id: 2 } }, { data: (row) => void (row.recordedError = null) });
});
afterAll(() => service.close());

describe('prints the address that the service names', () => {
  test.each([
    ['docs', 'https://sync.example.com/docs'],
    ['openapi', 'https://sync.example.com/api/v1/openapi.json'],
    ['connection 3', 'https://sync.example.com/dashboard/connections/3'],
    ['source 4', 'https://dashboard.example.com/connections/1'],
    ['code crm_disconnected', 'https://sync.example.com/docs/status-codes#crm_disconnected'],
  ])('svc open %s', async (words, url) => {
    const plain = await service.svc('open', ...words.split(' '));
    expect(plain).toMatchObject({ code: 0, stdout: `${url}\n`, stderr: '' });
    const json = await service.svc('open', ...words.split(' '), '--json');
    expect(JSON.parse(json.stdout)).toEqual({ url });
  });
});

test('svc connections reconnect: the page of the disconnected connection', async () => {
  const url = 'https://sync.example.com/dashboard/connections/3';
  expect(await service.svc('connections', 'reconnect')).toMatchObject({ code: 0, stdout: `${url}\n` });
  const json = await service.svc('connections', 'reconnect', '3', '--json');
  expect(JSON.parse(json.stdout)).toEqual({ connectionId: 3, url });
  const other = await service.svc('connections', 'reconnect', '2');
  expect([other.code, other.stdout]).toEqual([3, '']);
  expect(other.stderr).toContain('Connection 2 is not disconnected');
  expect(other.stderr).toContain('Disconnected: 3');
});

test.each([
  ['3 for a connection without an issue', 'connection 2', 3, 'names no page for connection 2', 'svc status'],
  ['3 for an unknown connection', 'connection 9', 3, 'Connection 9 not found', 'Connections of this key: 1, 2, 3'],
  ['3 for a source that does not fail', 'source 1', 3, 'names no page for source 1', 'Failing sources: 4, 7, 8'],
  ['3 for another code', 'code nope', 3, 'has the blocker or warning nope', 'Codes now: crm_disconnected, '],
  ['2 without an id', 'connection', 2, 'svc open connection needs an ID', 'svc open connection 3'],
  ['2 for a wrong id', 'source x', 2, 'The ID of a source is a number, not x', ''],
  ['2 for a surplus id', 'docs 3', 2, 'svc open docs takes no id, but got 3', ''],
  ['2 for an unknown page', 'sync 12', 2, 'docs, openapi, connection, source or code', ''],
])('%s', async (_name, words, code, message, hint) => {
  const result = await service.svc('open', ...words.split(' '));
  expect([result.code, result.stdout]).toEqual([code, '']);
  expect(result.stderr).toContain(message);
  expect(result.stderr).toContain(hint);
});

test('a key that cannot read events is not told that no source fails', async () => {
  const { code, stderr } = await service.run(['open', 'source', '15'], {
    env: { SVC_API_KEY: 'osapi_demo_no_webhooks' },
  });
  expect(code).toBe(5);
  expect(stderr).toContain('Platform webhooks are not enabled for this account');
});

test('an address that is not http or https is refused', async () => {
  const [blocker] = ACCOUNT_STATUS.blockers;
  const status = { ...ACCOUNT_STATUS, blockers: [{ ...blocker, docUrl: 'file:///etc/passwd' }] };
  const server = await startContractServer({ status });
  try {
    const { code, stdout, stderr } = await runInProcess(['open', 'code', blocker?.code ?? ''], { server });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('The service names file:///etc/passwd, which is not an http or https address');
  } finally {
    await server.close();
  }
});
