import { describe, expect, test } from 'vitest';
import type { CatalogEntry } from '../data/catalog.ts';
import catalog from '../generated/catalog.json' with { type: 'json' };
import { commandLine } from './command-line.ts';

function entry(name: keyof typeof catalog): CatalogEntry {
  return catalog[name] as CatalogEntry;
}

describe('the command that does the same as a page', () => {
  test('has arguments first where they are declared so, and flags with their values', () => {
    expect(commandLine(entry('sources/update'), { id: 7, createOrUpdateCompany: true })).toBe(
      'svc-server sources update 7 --create-or-update-company on',
    );
  });

  test('leaves defaults, empty values and secrets out', () => {
    const input = { id: 7, secret: 'very-secret', keepOld: '24h', header: undefined };
    expect(commandLine(entry('sources/set-secret'), input)).toBe('svc-server sources set-secret 7');
  });

  test('has a flag that begins with --no- only where the field is off', () => {
    const input = { accountId: 1, crm: 'HUBSPOT', organizationId: '4711', organizationDomain: 'a.example.com' };
    const line = 'svc-server connections add --account 1 --crm HUBSPOT --organization-id 4711';
    expect(commandLine(entry('connections/add'), { ...input, checksToken: true })).toBe(
      `${line} --organization-domain a.example.com`,
    );
    expect(commandLine(entry('connections/add'), { ...input, checksToken: false })).toBe(
      `${line} --organization-domain a.example.com --no-check`,
    );
  });

  test('quotes what a shell would read otherwise', () => {
    expect(commandLine(entry('keys/create'), { accountId: 1, name: "Kim's $HOME; rm" })).toBe(
      `svc-server keys create --account 1 --name 'Kim'\\''s $HOME; rm'`,
    );
  });

  test('names a file where the command reads one', () => {
    const input = { connectionId: 1, platform: 'my-dialer', mapping: { event: 'type' } };
    expect(commandLine(entry('sources/add'), input)).toBe(
      'svc-server sources add --connection 1 --platform my-dialer --mapping FILE',
    );
    expect(commandLine(entry('sources/set-policy'), { id: 7, policy: {} })).toBe(
      'svc-server sources policy set 7 FILE',
    );
  });

  test('is absent for what no command does alone', () => {
    expect(commandLine(entry('requests/runs'), { sourceId: 3 })).toBeNull();
  });
});
