/** `createWebhook` and `updateWebhook`: valid and invalid `url`, `description` and `enabledEvents`. */
import { LIMITS } from '@svc/contract/limits';
import { SUBSCRIBABLE_EVENT_TYPES } from '@svc/contract/vocabulary';
import { expect, test } from 'vitest';
import type { Answer } from '../harness/client.ts';

/** Sends one field to the operation under test; the rest of the body is valid. */
export type SendField = (field: Readonly<Record<string, unknown>>) => Promise<Answer>;

const HOST = 'https://hooks.example.com';
const urlOfLength = (length: number) => `${HOST}/${'x'.repeat(length - HOST.length - 1)}`;

const GOOD_URLS = [
  HOST,
  `${HOST}/`,
  `${HOST}:8443/a/b?c=d&e=f#g`,
  'HTTPS://Hooks.Example.COM/Path',
  'https://93.184.215.14/hook',
  'https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/hook',
  'https://xn--bcher-kva.example.com/ü',
  'https://a.b.c.d.example.com./',
  urlOfLength(LIMITS.webhookUrlMaxLength),
];

const BAD_URLS: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['a number', 1],
  ['an array', [HOST]],
  ['an empty text', ''],
  ['not a URL', 'hooks'],
  ['no scheme', 'hooks.example.com/x'],
  ['no host', 'https:///x'],
  ['http', 'http://hooks.example.com/'],
  ['another scheme', 'ftp://hooks.example.com/'],
  ['a similar scheme', 'httpsx://hooks.example.com/'],
  ['a script', 'javascript:alert(1)'],
  ['a user name', 'https://user@hooks.example.com/'],
  ['a user name and a password', 'https://user:secret@hooks.example.com/'],
  ['white space', 'https://hooks.example.com/a b'],
  ['white space in front', ` ${HOST}`],
  ['a line break', `${HOST}/a\nb`],
  ['a NUL', `${HOST}/\0`],
  ['half of a surrogate pair', `${HOST}/\ud800`],
  ['a backslash', 'https:\\\\hooks.example.com\\x'],
  ['port 0', `${HOST}:0/`],
  ['the port of SSH', `${HOST}:22/`],
  ['the port of SMTP', `${HOST}:25/`],
  ['an invalid port', `${HOST}:99999/`],
  ['one character more than 2,048', urlOfLength(LIMITS.webhookUrlMaxLength + 1)],
];

const PRIVATE_URLS = [
  'https://168.63.129.16/',
  'https://[2001:470::5efe:a01:203]/',
  'https://127.0.0.1/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://0177.0.0.1/',
  'https://１２７.0.0.1/',
  'https://0.0.0.0/',
  'https://10.0.0.1/',
  'https://172.16.0.1/',
  'https://172.31.255.255/',
  'https://192.168.1.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://100.64.0.1/',
  'https://192.0.2.1/',
  'https://198.18.0.1/',
  'https://224.0.0.1/',
  'https://255.255.255.255/',
  'https://[::]/',
  'https://[::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[fe80::1]/',
  'https://[fc00::1]/',
  'https://[fd12:3456:789a::1]/',
  'https://[ff02::1]/',
  'https://[2001:db8::1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[2002:7f00:1::]/',
  'https://localhost/',
  'https://LOCALHOST:8443/',
  'https://localhost./',
  'https://hooks.localhost/',
  'https://printer.local/',
  'https://db.internal/',
  'https://nas.lan/',
  'https://box.home.arpa/',
  'https://intranet/',
];

const BAD_DESCRIPTIONS: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['a number', 5],
  ['an object', {}],
  ['501 characters', 'x'.repeat(LIMITS.webhookDescriptionMaxLength + 1)],
  ['501 characters beyond the basic plane', '😀'.repeat(LIMITS.webhookDescriptionMaxLength + 1)],
  ['a NUL', 'a\0b'],
  ['half of a surrogate pair', 'a\udc00b'],
];

const BAD_EVENTS: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['a text', 'sync.failed'],
  ['an object', { 0: 'sync.failed' }],
  ['a number in the list', [1]],
  ['a list in the list', [['sync.failed']]],
  ['an empty name', ['']],
  ['another letter case', ['Sync.Failed']],
  ['white space', ['sync.failed ']],
  ['a wildcard', ['sync.*']],
  ['test.ping', ['test.ping']],
  ['a reserved connection event', ['connection.disconnected']],
  ['a reserved blocklist event', ['blocklist.synced']],
  ['a reserved destination event', ['destination.failed']],
  ['a reserved record event', ['record.created']],
  ['an unknown name', ['sync.exploded']],
  ['an unknown name beside a known one', ['sync.failed', 'sync.exploded']],
  ['an inherited property name', ['constructor']],
];

/** @param status status of a success @param assertUnchanged fails when a refused call changed something */
export function proveWebhookFields(status: number, send: SendField, assertUnchanged: () => Promise<void>): void {
  const refuses = async (field: Readonly<Record<string, unknown>>): Promise<string> => {
    const answer = await send(field);
    expect(answer.json).toEqual({ statusCode: 400, message: expect.any(String), error: 'Bad Request' });
    await assertUnchanged();
    return answer.json.message;
  };

  test.each(GOOD_URLS)(`${status} for the URL %s, stored unchanged`, async (url) => {
    const answer = await send({ url });
    expect([answer.status, answer.json.url]).toEqual([status, url]);
  });

  test.each(BAD_URLS)('400 for a URL that is %s', async (_name, url) => {
    expect(await refuses({ url })).toContain('url');
  });

  test.each(PRIVATE_URLS)('400 for %s, which is not public', async (url) => {
    expect(await refuses({ url })).toContain('url');
  });

  test(`${status} for a description of 500 characters, of any script`, async () => {
    for (const character of ['x', 'ü', '😀']) {
      const description = character.repeat(LIMITS.webhookDescriptionMaxLength);
      const answer = await send({ description });
      expect([answer.status, answer.json.description]).toEqual([status, description]);
    }
    expect((await send({ description: '' })).json.description).toBe('');
  });

  test.each(BAD_DESCRIPTIONS)('400 for a description that is %s', async (_name, description) => {
    expect(await refuses({ description })).toContain('description');
  });

  test(`${status} for every choice of events, without duplicates`, async () => {
    for (const [sent, kept] of [
      [[], []],
      [['sync.failed'], ['sync.failed']],
      [['sync.recovered'], ['sync.recovered']],
      [
        ['sync.recovered', 'sync.failed', 'sync.recovered'],
        ['sync.failed', 'sync.recovered'],
      ],
    ]) {
      const answer = await send({ enabledEvents: sent });
      expect([answer.status, answer.json.enabledEvents]).toEqual([status, kept]);
    }
  });

  test.each(BAD_EVENTS)('400 for enabledEvents with %s, listing the available types', async (_name, enabledEvents) => {
    const message = await refuses({ enabledEvents });
    for (const type of SUBSCRIBABLE_EVENT_TYPES) expect(message).toContain(type);
  });
}

/** Bodies that are not JSON objects. */
export const BAD_BODIES: readonly (readonly [string, unknown])[] = [
  ['broken JSON', '{"url":'],
  ['two values', '{}{}'],
  ['an array', []],
  ['a text', '"https://hooks.example.com"'],
  ['a number', '1'],
  ['true', 'true'],
  ['null', 'null'],
  ['white space', ' '],
  ['bytes that are not UTF-8', new Uint8Array([0x7b, 0xff, 0xfe, 0x7d])],
  ['a trailing comma', '{"description":"x",}'],
];

export const BAD_CONTENT_TYPES = [
  null,
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/xml',
  'application/jsonp',
  'text/json',
  'application/json; charset=latin1',
];

/** Larger than any valid body. */
export const HUGE = { description: 'x', padding: 'x'.repeat(300_000) };
