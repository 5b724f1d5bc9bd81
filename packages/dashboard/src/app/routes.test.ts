import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BLOCKER_CODES, WARNING_CODES } from '@svc/contract/vocabulary';
import { expect, test } from 'vitest';
import { findMend, MENDS } from '../pages/connections/mend.ts';
import { ROUTES } from './routes.ts';

const folder = join(import.meta.dirname, '..');
/** Addresses of the frame, and of pages before the sign-in. */
const OTHERS = ['/', '/welcome', '/accounts/:id'];
const patterns = [...ROUTES.map(({ path }) => path), ...OTHERS].map(
  (path) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`),
);

/** Links, redirects and calls that open another page, with their text in quotes. */
const LINK = /(?:\bhref|\bto)(?:=|: )\{?["'`](~?\/[^"'`]*)["'`]|\bnavigate\(["'`](~?\/[^"'`]*)["'`]/g;

function pathOf(link: string): string {
  const path = link
    .replace('~', '')
    .replaceAll(/\$\{[^}]*\}/g, '1')
    .replace(/[?#].*/s, '');
  return path.replace(/^\/accounts\/1(?=\/.)/, '');
}

test('every link leads to a page', () => {
  const found = globSync('**/*.{ts,tsx}', { cwd: folder })
    .filter((file) => !file.includes('.test.'))
    .flatMap((file) =>
      [...readFileSync(join(folder, file), 'utf8').matchAll(LINK)].map(([, href, called]) => ({
        file,
        path: pathOf(href ?? called ?? ''),
      })),
    );
  expect(found.length).toBeGreaterThan(30);
  expect(found.filter(({ path }) => !patterns.some((pattern) => pattern.test(path)))).toEqual([]);
});

test('each blocker and warning of a connection leads to the page that mends it', () => {
  expect(Object.keys(MENDS).toSorted()).toEqual([...BLOCKER_CODES, ...WARNING_CODES].toSorted());
  const paths = Object.keys(MENDS).map((code) => pathOf(findMend({ code, connectionId: 7 }).href));
  expect(paths.filter((path) => !patterns.some((pattern) => pattern.test(path)))).toEqual([]);
  expect(findMend({ code: 'of_a_newer_server', connectionId: 7 }).href).toBe('/connections/7');
});
