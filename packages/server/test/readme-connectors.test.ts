import { existsSync, readFileSync } from 'node:fs';
import { CRMS, RETRYABLE_CRMS } from '@svc/contract/vocabulary';
import { createCrmConnectors, CRM_REGISTRY } from '@svc/crm';
import { expect, test } from 'vitest';

const root = new URL('../../../', import.meta.url);

/** Returns the rows between the marks, one for each name that a row lists: its page, and the other cells. */
function readRows(): [string, ...string[]][] {
  const readme = readFileSync(new URL('README.md', root), 'utf8');
  const [, tables = ''] = readme.split(/<!-- (?:sequencers|connectors): end -->/);
  return [...tables.matchAll(/^\| (\[.*?) \|(.*)\|$/gm)].flatMap(([, names = '', cells = '']) => {
    const pages = [...names.matchAll(/\]\((.*?)\)/g)].map(([, page = '']) => page);
    const values = cells.split('|').map((cell) => cell.trim());
    return pages.map((page): [string, ...string[]] => [page, ...values]);
  });
}

test('README.md names the CRMs that can be written, and no other, with their pages', () => {
  const crms = CRM_REGISTRY.map(({ crm, lists }) => {
    const canRetry = RETRYABLE_CRMS.some((retryable) => retryable === crm);
    return [`docs/crm/${crm.toLowerCase()}.md`, canRetry ? 'yes' : 'no', lists ? lists.kinds : ''];
  });
  expect(readRows().toSorted()).toEqual(crms.toSorted());
  expect(crms.filter(([page = '']) => !existsSync(new URL(page, root)))).toEqual([]);
});

test('server, contract and the demo world of mock and server agree on the CRMs that can be written', () => {
  const registered = CRM_REGISTRY.map(({ crm }) => crm);
  expect(registered.toSorted()).toEqual(CRMS.toSorted());
  expect([...createCrmConnectors({ fetch, timeoutMs: 1_000 }).keys()].toSorted()).toEqual(CRMS.toSorted());
  expect(RETRYABLE_CRMS.filter((crm) => !registered.includes(crm))).toEqual([]);
  // The mock writes to every connection of the same demo world.
  const world = JSON.parse(readFileSync(new URL('../../../fixtures/demo-world.json', import.meta.url), 'utf8'));
  const shown = new Set(world.connections.map(({ crm }: { crm: string }) => crm));
  expect([...shown].toSorted()).toEqual(registered.toSorted());
});
