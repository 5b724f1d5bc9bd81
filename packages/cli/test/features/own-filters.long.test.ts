import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { buildCli } from '../support/run-cli.ts';
import { runInProcess } from '../support/run-in-process.ts';

let service: MockService;
let requestId: number;

beforeAll(async () => {
  await buildCli();
  service = await startMockService({ runsJobs: false }, runInProcess);
  const requests = service.mock.db.requests.findMany({ where: { connectionId: 1, sourceId: 1 } }).slice(0, 3);
  requestId = requests[0]?.id ?? 0;
  for (const [index, { id: payloadId }] of requests.entries()) {
    const createdAt = new Date(Date.UTC(2026, 0, 15, 11, index));
    const event = { connectionId: 1, sourceId: 1, toEmail: 'Kim@example.org', eventType: 'EMAIL_REPLY', createdAt };
    await service.mock.db.syncs.create({ ...event, status: 'success', payloadId });
    await service.mock.db.deliveries.create({
      ...event,
      payloadId,
      destinationId: 1,
      status: 'success',
      httpStatus: 200,
    });
  }
});
afterAll(() => service.close());

const RANGE = ['--from', '2026-01-14', '--to', '2026-01-15'];
describe.each(['syncs', 'deliveries'])('%s list', (topic) => {
  const list = (...argv: string[]) => service.svc(topic, 'list', ...RANGE, ...argv);

  test('--email finds a recipient in any letter case and says among how many rows', async () => {
    const { code, stdout, stderr } = await list('--email', 'kim@EXAMPLE.org');
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n')).toHaveLength(3);
    expect(stderr).toMatch(
      new RegExp(
        `^Showing 3 ${topic} \\(2026-01-14 to 2026-01-15\\)\\. Filtered here among the [\\d,]{2,} ${topic} from 2026-01-14 to 2026-01-15\\.\n$`,
      ),
    );
    const all = JSON.parse((await list('--all', '--json')).stdout);
    const [, read] = /among the ([\d,]+) /.exec(stderr) ?? [];
    expect(Number(read?.replaceAll(',', ''))).toBe(all.length);
  });

  test('--limit counts matches', async () => {
    const { stdout, stderr } = await list('--email', 'kim@example.org', '--limit', '2', '--json');
    expect(JSON.parse(stdout)).toMatchObject([{ toEmail: 'Kim@example.org' }, { toEmail: 'Kim@example.org' }]);
    expect(JSON.parse(stderr)).toMatchObject({
      note: expect.stringMatching(/Filtered here among the newest [\d,]+ \w+\.$/),
      shown: 2,
      moreExist: true,
    });
  });

  test.each([
    ['email_replied', ' Did you mean --event EMAIL_REPLY?'],
    ['reply', ' Did you mean --event EMAIL_REPLY, MESSAGE_REPLY or INMAIL_REPLY?'],
    ['CALL_COMPLETED', ''],
    ['SOMETHING_ELSE', ''],
  ])('--event %s without matches', async (type, suggestion) => {
    const { code, stdout, stderr } = await list('--event', type, '--format', 'table');
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(new RegExp(`^No matching ${topic} [^?]*\\.${suggestion.replace('?', '[?]')}\\n`));
  });

  test('--event and filters of the API are combined', async () => {
    const rows = JSON.parse((await list('--event', 'email_reply', '--status', 'success', '--all', '--json')).stdout);
    expect(rows.length).toBeGreaterThan(2);
    for (const row of rows) expect(row).toMatchObject({ eventType: 'EMAIL_REPLY', status: 'success' });
  });

  test('no match', async () => {
    const { code, stdout, stderr } = await list('--email', 'nobody@example.org');
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(
      new RegExp(
        `^No matching ${topic} from 2026-01-14 to 2026-01-15\\.\nFiltered here among the [\\d,]+ ${topic} from`,
      ),
    );
  });
});

test.each(['syncs', 'deliveries'])('%s export filters too, on stdout and into a file', async (topic) => {
  const filters = ['--email', 'kim@example.org', '--event', 'EMAIL_REPLY'];
  const { code, stdout, stderr } = await service.svc(topic, 'export', ...RANGE, ...filters, '--fields', 'toEmail');
  expect([code, stdout]).toEqual([0, 'toEmail\nKim@example.org\nKim@example.org\nKim@example.org\n']);
  expect(stderr).toMatch(new RegExp(`^Exported 3 matching ${topic}, filtered here`));

  const cwd = mkdtempSync(join(tmpdir(), 'svc-own-filters-'));
  const argv = [topic, 'export', ...RANGE, ...filters, '--output', 'rows.ndjson'];
  const file = await service.run(argv, { cwd });
  expect([file.code, file.stdout]).toEqual([0, '']);
  const rows = readFileSync(join(cwd, 'rows.ndjson'), 'utf8').trimEnd().split('\n');
  expect(rows.map((row) => JSON.parse(row).toEmail)).toEqual(Array(3).fill('Kim@example.org'));
  rmSync(cwd, { recursive: true });
});

test('syncs list --request finds the syncs of a request', async () => {
  const { stdout } = await service.svc(
    'syncs',
    'list',
    ...RANGE,
    '--request',
    `${requestId}`,
    '--format',
    'csv',
    '--fields',
    'toEmail',
  );
  expect(stdout).toContain('Kim@example.org\n');
  expect((await service.svc('syncs', 'list', '--request', 'x')).code).toBe(2);
});

test('requests list --connection', async () => {
  const { stdout, stderr } = await service.svc('requests', 'list', ...RANGE, '--connection', '2', '--limit', '3');
  expect(stdout.split('\n')).toHaveLength(4);
  expect(stderr).toContain('Filtered here among the newest');
  const rows = JSON.parse((await service.svc('requests', 'list', ...RANGE, '--connection', '2', '--json')).stdout);
  expect(new Set(rows.map(({ connectionId }: { connectionId: number }) => connectionId))).toEqual(new Set([2]));
});
