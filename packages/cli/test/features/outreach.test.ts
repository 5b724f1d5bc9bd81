import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { buildCli } from '../support/run-cli.ts';

let service: MockService;

beforeAll(async () => {
  await buildCli();
  service = await startMockService({}, runInProcess);
});
afterAll(() => service.close());

const lookup = (...argv: string[]) => service.svc('outreach', 'lookup', ...argv);

test('prints the verdict in red, then the last touch, then the events', async () => {
  const { code, stdout, stderr } = await lookup('--email', 'Tereza.Abara@example.org');
  expect([code, stderr]).toEqual([0, '']);
  const [verdict, blank, contact, lastTouch] = stdout.split('\n');
  expect([verdict, blank]).toEqual(['DO NOT CONTACT: unsubscribed', '']);
  expect(contact).toMatch(/^Contact +tereza\.abara@example\.org$/);
  expect(lastTouch).toMatch(/^Last touch +\d{4}-\d\d-\d\d \d\d:\d\dZ \(\d+ days ago\): \w+ by \w+$/);
  expect(stdout).toMatch(/\nUnsubscribed +yes\n/);
  expect(stdout).toMatch(/\nEVENT +COUNT +FIRST +LAST\n/);
  expect(stdout).toMatch(/\nPLATFORM +COUNT +LAST +LAST EVENT\n/);

  const coloured = await service.run(['outreach', 'lookup', '--email', 'tereza.abara@example.org'], {
    env: { FORCE_COLOR: '1' },
  });
  expect(coloured.stdout.startsWith('\u001b[31mDO NOT CONTACT')).toBe(true);
});

test('an unknown contact is not an error', async () => {
  const { code, stdout } = await lookup('--email', 'nobody@example.org', '--profile-url', 'linkedin.com/in/nobody');
  expect(code).toBe(0);
  expect(stdout).toBe(`OK to contact: no bounce or unsubscribe on record

Contact  nobody@example.org, https://www.linkedin.com/in/nobody
Known    no: nothing was sent to this contact and nothing came back
`);
});

test('a contact without an email address is named by its profile', async () => {
  const { stdout } = await lookup('linkedin.com/in/nobody');
  expect(stdout).toContain('\nContact  https://www.linkedin.com/in/nobody\n');
});

test('contacts can be arguments', async () => {
  const { stdout } = await lookup('linkedin.com/in/nobody', 'nobody@example.org', 'x.com/nobody');
  const flags = ['--profile-url', 'linkedin.com/in/nobody', '--profile-url', 'x.com/nobody'];
  expect(stdout).toBe((await lookup('--email', 'nobody@example.org', ...flags)).stdout);
  expect(stdout).toContain('Contact  nobody@example.org, https://www.linkedin.com/in/nobody');
});

test.each([['kim'], ['example.org'], ['linkedin.com'], ['kim@'], ['not a contact'], ['12']])(
  'what is neither an email address nor a profile URL is refused before any request: %s',
  async (word) => {
    service.mock.journal.clear();
    const { code, stdout, stderr } = await lookup('kim@example.org', word);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toBe(
      `Error: ${word} is neither an email address nor a profile URL\n  Write them like kim@example.org or linkedin.com/in/kim.\n`,
    );
    expect(service.mock.journal.all()).toEqual([]);
  },
);

test('--exit-code: 9 for a contact not to be contacted, 0 for others', async () => {
  const blocked = await lookup('tereza.abara@example.org', '--exit-code');
  expect([blocked.code, blocked.stderr]).toEqual([9, '']);
  expect(blocked.stdout).toMatch(/^DO NOT CONTACT: unsubscribed\n/);
  expect(blocked.stdout).toBe((await lookup('tereza.abara@example.org')).stdout);
  expect(await lookup('replied@example.com', '--exit-code')).toMatchObject({ code: 0, stderr: '' });
  expect(await lookup('nobody@example.org', '--exit-code')).toMatchObject({ code: 0, stderr: '' });

  const json = await lookup('tereza.abara@example.org', '--exit-code', '--json');
  expect([json.code, JSON.parse(json.stdout).doNotContact.value]).toEqual([9, true]);
  const failed = await lookup('tereza.abara@example.org', '--exit-code', '--base-url', 'http://127.0.0.1:9');
  expect(failed.code).toBe(8);
});

test('a category alone makes a contact known', async () => {
  const { stdout } = await lookup('--email', 'category@example.com');
  expect(stdout).toMatch(/\nLast touch +none recorded\n/);
  expect(stdout).toMatch(/\nCategory +Interested, 2026-01-10 10:00Z\n/);
});

test('--json prints the answer of the API without block lists', async () => {
  const { code, stdout } = await lookup('--email', 'tereza.abara@example.org', '--json');
  expect(code).toBe(0);
  const shown = JSON.parse(stdout);
  expect(shown).toMatchObject({ found: true, doNotContact: { value: true, reasons: ['unsubscribed'] } });
  expect(Object.keys(shown)).not.toContain('blocklists');
  const chosen = await lookup('--email', 'tereza.abara@example.org', '--json', '--fields', 'doNotContact.value');
  expect(JSON.parse(chosen.stdout)).toEqual({ doNotContact: { value: true } });
  const refused = await lookup('--email', 'tereza.abara@example.org', '--fields', 'blocklists');
  expect([refused.code, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toContain('Unknown field: blocklists');
});

test.each([
  [[], 'No contact is given'],
  [['a@example.org', '--email', 'b@example.org'], 'Several email addresses'],
  [['--email', 'nope'], 'email "nope" is not an email address'],
  [Array.from({ length: 6 }, (_, n) => ['--profile-url', `linkedin.com/in/p${n}`]).flat(), 'profileUrl'],
])('exits with 2 for an invalid contact, with and without --json: %j', async (argv, message) => {
  const plain = await lookup(...argv);
  expect([plain.code, plain.stdout]).toEqual([2, '']);
  expect(plain.stderr).toContain(message);
  const json = await lookup(...argv, '--json');
  expect([json.code, json.stdout]).toEqual([2, '']);
  expect(JSON.parse(json.stderr).error.message).toContain(message);
});
