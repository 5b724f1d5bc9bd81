import { describe, expect, test } from 'vitest';
import { findPosition } from './cursor-position.ts';
import type { Manifest, ManifestFlag } from '../../command/manifest.ts';

const flag = (name: string, more: Partial<ManifestFlag> = {}): Record<string, ManifestFlag> => ({
  [name]: { name, type: 'option', ...more },
});
const GLOBAL = { helpGroup: 'GLOBAL' };
const globals = {
  ...flag('json', { type: 'boolean', ...GLOBAL }),
  ...flag('profile', GLOBAL),
  ...flag('base-url', GLOBAL),
};

const MANIFEST: Manifest = {
  topics: { syncs: { description: 'Attempts' }, webhooks: {}, profiles: {} },
  commands: {
    status: { summary: 'Show', args: {}, flags: globals },
    'syncs:list': {
      args: {},
      flags: {
        ...globals,
        ...flag('status', { options: ['success', 'error'], char: 's' }),
        ...flag('source', { helpValue: 'ID' }),
        ...flag('output', { helpValue: 'FILE' }),
        ...flag('field', { multiple: true }),
        ...flag('secret', { hidden: true }),
        ...flag('all', { type: 'boolean' }),
      },
    },
    'syncs:get': { args: { id: { name: 'id' } }, flags: globals },
    'webhooks:test': { args: { id: { name: 'id' } }, flags: globals },
    'webhooks:replay': { args: { id: { name: 'id' }, delivery: { name: 'delivery' } }, flags: globals },
    'webhooks:verify': { args: { body: { name: 'body' } }, flags: globals },
    'blocklists:pause': { strict: false, args: { id: { name: 'id' } }, flags: globals },
    'profiles:use': { args: { name: { name: 'name' } }, flags: globals },
    hiddenone: { hidden: true, args: {}, flags: {} },
  },
};

function wanted(...words: string[]) {
  const { wanted: found } = findPosition(MANIFEST, words);
  return found.kind === 'list' ? found.candidates.map(({ value }) => value) : found;
}

describe('command names', () => {
  test.each([
    [[''], ['blocklists', 'help', 'profiles', 'status', 'syncs', 'webhooks']],
    [
      ['syncs', ''],
      ['get', 'list'],
    ],
    [
      ['help', 'syncs', ''],
      ['get', 'list'],
    ],
    [
      ['help', ''],
      ['blocklists', 'profiles', 'status', 'syncs', 'webhooks'],
    ],
    [['nope', ''], []],
    [['toString', ''], []],
    [['help', 'status', ''], []],
  ])('%j', (words, names) => {
    expect(wanted(...words)).toEqual(names);
  });
});

describe('flags', () => {
  test('own flags come first; used flags are left out unless they may be repeated', () => {
    const all = ['--status', '--source', '--output', '--field', '--all', '--json', '--profile', '--base-url', '--help'];
    expect(wanted('syncs', 'list', '-')).toEqual(all);
    expect(wanted('syncs', 'list', '--status', 'error', '--all', '--field', 'a=b', '--')).toEqual(
      all.filter((name) => name !== '--status' && name !== '--all'),
    );
    expect(wanted('syncs', 'list', '-s', 'error', '--')).not.toContain('--status');
  });

  test.each([
    [
      ['syncs', 'list', '--status', ''],
      ['success', 'error'],
    ],
    [
      ['syncs', 'list', '--status=e'],
      ['success', 'error'],
    ],
    [
      ['syncs', 'list', '-s', ''],
      ['success', 'error'],
    ],
    [['syncs', 'list', '--all', ''], []],
    [['syncs', 'list', '--nope=x'], []],
    [['syncs', 'list', '--source', ''], { kind: 'ids', of: 'sources' }],
    [['syncs', 'list', '--source=2'], { kind: 'ids', of: 'sources' }],
    [['syncs', 'list', '--output', ''], { kind: 'files' }],
    [['status', '--profile', ''], { kind: 'profiles' }],
  ])('values: %j', (words, values) => {
    expect(wanted(...words)).toEqual(values);
  });

  test('returns the typed part of a value and its prefix', () => {
    expect(findPosition(MANIFEST, ['syncs', 'list', '--status=e'])).toMatchObject({ typed: 'e', prefix: '--status=' });
    expect(findPosition(MANIFEST, ['syncs', 'list', '--status', 'e'])).toMatchObject({ typed: 'e', prefix: '' });
  });

  test('returns the flags for the credentials', () => {
    const words = ['syncs', 'list', '--profile', 'two', '--base-url=https://x.example', '--source', ''];
    expect(findPosition(MANIFEST, words).credentials).toEqual({ profile: 'two', 'base-url': 'https://x.example' });
  });
});

describe('arguments', () => {
  test.each([
    [['webhooks', 'test', ''], { kind: 'ids', of: 'webhooks' }],
    [['webhooks', 'test', '--json', ''], { kind: 'ids', of: 'webhooks' }],
    [['webhooks', 'test', '--profile', 'x', ''], { kind: 'ids', of: 'webhooks' }],
    [['webhooks', 'test', 'oswhk_1', ''], []],
    [['webhooks', 'replay', 'oswhk_1', ''], []],
    [['webhooks', 'verify', ''], { kind: 'files' }],
    [['blocklists', 'pause', '1', '2', ''], { kind: 'ids', of: 'blocklists' }],
    [['webhooks', 'test', '--', '-'], { kind: 'ids', of: 'webhooks' }],
    [['syncs', 'get', ''], []],
    [['profiles', 'use', ''], { kind: 'profiles' }],
  ])('%j', (words, values) => {
    expect(wanted(...words)).toEqual(values);
  });
});
