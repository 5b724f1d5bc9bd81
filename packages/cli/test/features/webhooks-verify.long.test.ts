import { spawn } from 'node:child_process';
import { readFileSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWebhookReceiver, signWebhook } from '@svc/sdk/webhooks';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildCli, collectResult, type CliResult, spawnCli } from '../support/run-cli.ts';
import { runInProcess } from '../support/run-in-process.ts';

interface Vector {
  readonly name: string;
  readonly input: {
    readonly payloadBase64: string;
    readonly header: string | null;
    readonly secrets: readonly string[];
    readonly toleranceSeconds: number;
    readonly nowSeconds: number;
  };
  readonly expected: { readonly valid: boolean; readonly timestampSeconds?: number; readonly reason?: string };
  /** For a valid signature: `event`, or the reason why the body is not an event. */
  readonly body?: string;
}

const VECTORS = JSON.parse(
  readFileSync(new URL('../../../../fixtures/webhook-signature.json', import.meta.url), 'utf8'),
);
const SECRET = 'oswhsec_demo_0123456789abcdefghjkmnpqrstv';
const BODY =
  '{"id":"osevt_1","type":"sync.failed","created":"2026-01-31T10:30:00.000Z","summary":"Failing","data":{"a":1}}';
const AT = '2026-01-31T10:30:00Z';
const SIGNED_AT_SECONDS = Date.parse(AT) / 1000;

beforeAll(buildCli);

function fileOf(content: string | Uint8Array, name = 'file'): string {
  const file = join(mkdtempSync(join(tmpdir(), 'svc-verify-')), name);
  writeFileSync(file, content);
  return file;
}

interface Given {
  readonly body?: string | Uint8Array;
  readonly signed?: string | Uint8Array;
  readonly secret?: string;
  readonly signedWith?: string;
  readonly at?: string;
  readonly argv?: readonly string[];
}

/** Signs `signed` (default: the body) and verifies the body. */
async function verify(given: Given = {}): Promise<CliResult> {
  const { body = BODY, signed = body, secret = SECRET, signedWith = SECRET, at = AT, argv = [] } = given;
  const header = await signWebhook({ payload: signed, secret: signedWith, timestampSeconds: SIGNED_AT_SECONDS });
  return runInProcess(['webhooks', 'verify', fileOf(body), '--header', header, '--at', at, ...argv], {
    env: { SVC_WEBHOOK_SECRET: secret },
  });
}

describe('webhooks verify: all vectors', () => {
  test.concurrent.each(VECTORS.cases as Vector[])('$name', async ({ input, expected, body }) => {
    const { payloadBase64, header, secrets, toleranceSeconds, nowSeconds } = input;
    const headers = header === null ? {} : { 'service-signature': header };
    const [secret = ''] = secrets;
    // White space belongs to a secret in the environment, but not in a file.
    const files = secrets.length > 1 ? secrets.flatMap((each) => ['--secret-file', fileOf(`${each}\n`)]) : [];
    const { code, stdout, stderr } = await runInProcess(
      [
        ...['webhooks', 'verify', fileOf(Buffer.from(payloadBase64, 'base64'))],
        ...['--headers-file', fileOf(JSON.stringify(headers)), '--tolerance', String(toleranceSeconds)],
        ...['--at', new Date(nowSeconds * 1000).toISOString(), '--json', ...files],
      ],
      { env: secrets.length > 1 ? {} : { SVC_WEBHOOK_SECRET: secret } },
    );
    const accepted = expected.valid && body === 'event';
    expect([code, stderr]).toEqual([accepted ? 0 : 9, '']);
    const result = JSON.parse(stdout);
    expect([result.valid, result.reason]).toEqual([accepted, accepted ? null : (expected.reason ?? body)]);
    if (expected.timestampSeconds !== undefined) {
      expect(result.signedAt).toBe(new Date(expected.timestampSeconds * 1000).toISOString());
    }
    expect(accepted).toBe(result.event !== null);
    if (!accepted) expect(result.message).toMatch(/\.$/);
    for (const each of secrets) expect(stdout).not.toContain(each);
  });
});

describe('webhooks verify explains', () => {
  test('a valid signature', async () => {
    const { code, stdout, stderr } = await verify({ at: '2026-01-31T10:33:00Z' });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(
      'Signature:\tvalid\nSigned at:\t2026-01-31T10:30:00.000Z (3 min ago)\nEvent:\tosevt_1\nType:\tsync.failed\nSummary:\tFailing\n',
    );
  });

  test('an old signature, with its age', async () => {
    const { code, stdout } = await verify({ at: '2026-01-31T12:30:00Z' });
    expect(code).toBe(9);
    expect(stdout).toContain(
      'NOT VALID\nProblem:\tThe signature is genuine, but 7200 s old; the tolerance is 300 s.\n',
    );
    expect(stdout).toContain('Hint:\tFor a saved delivery: --at TIME');
    expect((await verify({ at: '2026-01-31T12:30:00Z', argv: ['--tolerance', '7200'] })).code).toBe(0);
  });

  test('a signature from the future', async () => {
    const { code, stdout } = await verify({ at: '2026-01-31T10:00:00Z' });
    expect([code, stdout]).toEqual([9, expect.stringContaining('1800 s ahead of this clock')]);
  });

  const pretty = JSON.stringify(JSON.parse(BODY), null, 2);
  const changes: [name: string, given: Given, hint: string][] = [
    ['a line break at the end', { body: `${BODY}\n`, signed: BODY }, 'without the line break at its end'],
    ['no line break at the end', { body: BODY, signed: `${BODY}\n` }, 'with a line break at its end'],
    ['CRLF', { body: pretty.replaceAll('\n', '\r\n'), signed: pretty }, 'LF was changed to CRLF'],
    ['LF', { body: pretty, signed: pretty.replaceAll('\n', '\r\n') }, 'CRLF was changed to LF'],
    ['a byte order mark', { body: `\ufeff${BODY}`, signed: BODY }, 'without the byte order mark'],
    ['no byte order mark', { body: BODY, signed: `\ufeff${BODY}` }, 'with a byte order mark'],
    ['reformatted JSON', { body: pretty, signed: BODY }, 'the same JSON without spaces: it was parsed'],
    ['white space around the secret', { secret: `${SECRET} ` }, 'without the white space around it'],
    ['quotes around the secret', { secret: `"${SECRET}"` }, 'without the quotes around it'],
    ['a secret without its prefix', { secret: SECRET.slice(8) }, 'with the prefix oswhsec_'],
    ['a secret in upper case', { secret: SECRET.toUpperCase() }, 'in lower case'],
    ['another secret', { signedWith: 'oswhsec_other' }, 'Check that the secret is the current one of this webhook'],
    ['another body', { body: pretty.replace('Failing', 'Fine'), signed: BODY }, 'like reformatted JSON'],
    [
      'a secret without prefix that does not fit',
      { secret: 'x', signedWith: 'oswhsec_other' },
      'No secret begins with "oswhsec_"',
    ],
  ];
  test.concurrent.each(changes)('%s', async (_name, given, hint) => {
    const { code, stdout } = await verify({ ...given, argv: ['--json'] });
    expect(code).toBe(9);
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({ valid: false, reason: 'no_match', event: null });
    expect(result.message).toMatch(/^No v1 signature fits this body: /);
    expect(result.hint).toContain(hint);
  });

  test('does not claim that a wrong signature fits', async () => {
    const { stdout } = await verify({ signedWith: 'oswhsec_other' });
    expect(stdout).not.toContain('The signature fits');
  });

  test('a timestamp in milliseconds', async () => {
    const timestampSeconds = SIGNED_AT_SECONDS * 1000;
    const header = await signWebhook({ payload: BODY, secret: SECRET, timestampSeconds });
    const { stdout } = await runInProcess(['webhooks', 'verify', fileOf(BODY), '--header', header], {
      env: { SVC_WEBHOOK_SECRET: SECRET },
    });
    expect(stdout).toContain('Its t looks like milliseconds');
  });
});

describe('webhooks verify accepts', () => {
  test('raw bytes on stdin', async () => {
    const body = Buffer.from('//4AgA==', 'base64');
    const header = await signWebhook({ payload: body, secret: SECRET });
    const child = spawnCli(['webhooks', 'verify', '--header', header, '--json'], {
      env: { SVC_WEBHOOK_SECRET: SECRET },
    });
    child.stdin?.end(body);
    const { code, stdout } = await collectResult(child);
    expect([code, JSON.parse(stdout).reason]).toEqual([9, 'invalid_utf8']);
  });

  test('closed stdin as an empty body', async () => {
    const header = await signWebhook({ payload: '', secret: SECRET });
    const { code, stdout } = await runInProcess(['webhooks', 'verify', '-', '--header', header], {
      env: { SVC_WEBHOOK_SECRET: SECRET },
    });
    expect([code, stdout]).toEqual([9, expect.stringContaining('The signature is genuine, but the body is empty.')]);
  });

  test('a header with its name', async () => {
    const header = await signWebhook({ payload: BODY, secret: SECRET });
    const { code } = await runInProcess(
      ['webhooks', 'verify', fileOf(BODY), '--header', `Service-Signature: ${header}`],
      {
        env: { SVC_WEBHOOK_SECRET: SECRET },
      },
    );
    expect(code).toBe(0);
  });

  test.each([
    [
      'lines',
      (header: string) => `POST /hook HTTP/1.1\r\nHost: x\r\nservice-signature:  ${header}\r\n\r\n{"not":"read"}`,
    ],
    ['what curl -v writes', (header: string) => `> Host: x\n> Service-Signature: ${header}\n`],
    ['JSON from Node', (header: string) => JSON.stringify({ host: 'x', 'service-signature': [header] })],
  ])('headers in a file: %s', async (_name, write) => {
    const header = await signWebhook({ payload: BODY, secret: SECRET });
    const argv = ['webhooks', 'verify', fileOf(BODY), '--headers-file', fileOf(write(header))];
    expect((await runInProcess([...argv, '--secret-file', fileOf(`\noswhsec_other\n${SECRET}\n`)])).code).toBe(0);
  });

  test('another prefix', async () => {
    const header = await signWebhook({ payload: BODY, secret: SECRET });
    const argv = ['webhooks', 'verify', fileOf(BODY), '--headers-file', fileOf(`Acme-Signature: ${header}\n`, 'h.txt')];
    const secret = { SVC_WEBHOOK_SECRET: SECRET };
    const wrong = await runInProcess(argv, { env: secret });
    expect([wrong.code, wrong.stdout]).toEqual([2, '']);
    expect(wrong.stderr).toMatch(
      /contains no Service-Signature, but Acme-Signature\n {2}To use it, add --header-prefix Acme\.\n$/,
    );
    expect((await runInProcess([...argv, '--header-prefix', 'Acme'], { env: secret })).code).toBe(0);
    expect((await runInProcess(argv, { env: { ...secret, SVC_HEADER_PREFIX: 'Acme' } })).code).toBe(0);
  });

  test.each([
    ['no signature', ['BODY'], { SVC_WEBHOOK_SECRET: SECRET }, 'Add --header VALUE, or --headers-file FILE.'],
    ['no secret', ['BODY', '--header', 'x'], {}, 'Set SVC_WEBHOOK_SECRET, or add --secret-file FILE.'],
    [
      'a missing body file',
      ['/nowhere/body', '--header', 'x'],
      { SVC_WEBHOOK_SECRET: SECRET },
      'There is no file /nowhere/body',
    ],
    ['a folder for a body', ['/tmp', '--header', 'x'], { SVC_WEBHOOK_SECRET: SECRET }, '/tmp is a folder'],
    ['an empty secret file', ['BODY', '--header', 'x', '--secret-file', '/dev/null'], {}, 'contains no secret'],
    ['a header file without headers', ['BODY', '--headers-file', '/dev/null'], {}, 'contains no headers'],
    ['a secret as a second argument', ['BODY', SECRET, '--header', 'x'], {}, 'Unexpected argument'],
    [
      'a secret as the body argument',
      [SECRET, '--header', 'x'],
      { SVC_WEBHOOK_SECRET: SECRET },
      'There is no file [secret]',
    ],
    ['a secret as a flag', ['BODY', '--secret', SECRET, '--header', 'x'], {}, 'Unknown flag --secret'],
    ['a negative tolerance', ['BODY', '--header', 'x', '--tolerance', '-1'], {}, '--tolerance'],
    ['an invalid prefix', ['BODY', '--headers-file', '/dev/null', '--header-prefix', 'a b'], {}, 'refix'],
  ])('%s exits with 2, with and without --json', async (_name, argv, env, message) => {
    const given = argv.map((word) => (word === 'BODY' ? fileOf(BODY) : word));
    const plain = await runInProcess(['webhooks', 'verify', ...given], { env });
    const json = await runInProcess(['webhooks', 'verify', ...given, '--json'], { env });
    expect([plain.code, json.code, plain.stdout, json.stdout]).toEqual([2, 2, '', '']);
    expect(plain.stderr).toContain(message);
    expect(JSON.parse(json.stderr).error.code).toBe('usage');
    expect(plain.stderr + json.stderr).not.toContain(SECRET);
  });
});

describe('webhooks sign', () => {
  const env = { SVC_WEBHOOK_SECRET: SECRET };

  test('prints the headers of a delivery', async () => {
    const { code, stdout, stderr } = await runInProcess(['webhooks', 'sign', fileOf(BODY), '--timestamp', AT], { env });
    expect([code, stderr]).toEqual([0, '']);
    const header = await signWebhook({ payload: BODY, secret: SECRET, timestampSeconds: SIGNED_AT_SECONDS });
    expect(stdout).toBe(
      `Content-Type: application/json\nService-Event-Id: osevt_1\nService-Delivery-Id: oswhd_test\nService-Signature: ${header}\n`,
    );
  });

  test('--json prints other ids and another prefix for a body on stdin', async () => {
    const argv = ['webhooks', 'sign', '--timestamp', '0', '--id', 'osevt_9', '--delivery-id', 'oswhd_9', '--json'];
    const { code, stdout } = await runInProcess([...argv, '--header-prefix', 'Acme'], { env, stdin: 'Jürgen' });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      'Content-Type': 'application/json',
      'Acme-Event-Id': 'osevt_9',
      'Acme-Delivery-Id': 'oswhd_9',
      'Acme-Signature': await signWebhook({ payload: 'Jürgen', secret: SECRET, timestampSeconds: 0 }),
    });
  });

  test('verify accepts the output', async () => {
    const body = fileOf(BODY);
    const { stdout } = await runInProcess(['webhooks', 'sign', body], { env });
    const argv = ['webhooks', 'verify', body, '--headers-file', fileOf(stdout)];
    expect((await runInProcess(argv, { env })).code).toBe(0);
    const old = await runInProcess(['webhooks', 'sign', body, '--timestamp', '10m'], { env });
    const verdict = await runInProcess([...argv.slice(0, -1), fileOf(old.stdout), '--json'], { env });
    expect([verdict.code, JSON.parse(verdict.stdout).reason]).toEqual([9, 'timestamp_too_old']);
  });

  test('--curl prints a command that posts to a receiver', async () => {
    const receiver = createWebhookReceiver({ secrets: [SECRET], onEvent: (event) => void received.push(event.id) });
    const received: string[] = [];
    const server = createServer((request, response) => receiver.node(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/it's`;
    try {
      const { stdout } = await runInProcess(['webhooks', 'sign', fileOf(BODY, "bo'dy"), '--curl', url], { env });
      expect(stdout).toMatch(/^curl \\\n {2}-H 'Content-Type: application\/json' \\\n/);
      const { code } = await runShell(stdout.replace(/^curl/, 'curl -s -f'));
      expect([code, received]).toEqual([0, ['osevt_1']]);
    } finally {
      server.close();
    }
  });

  test.each([
    ['no secret', ['BODY'], {}, 'No signing secret is given'],
    ['an invalid time', ['BODY', '--timestamp', 'soon'], env, 'soon is not a time'],
    ['an id with a line break', ['BODY', '--id', 'a\nb'], env, '--id must consist of'],
    ['--curl with --json', ['BODY', '--curl', 'http://x', '--json'], env, ''],
  ])('%s exits with 2', async (_name, argv, environment, message) => {
    const given = argv.map((word) => (word === 'BODY' ? fileOf(BODY) : word));
    const { code, stdout, stderr } = await runInProcess(['webhooks', 'sign', ...given], { env: environment });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });
});

async function runShell(command: string): Promise<CliResult> {
  return collectResult(spawn('sh', ['-c', command], { stdio: 'pipe' }));
}
