/** Each operation has a page that calls it, or a reason why not: `scripts/operation-pages.ts` is compared with the sources of the pages. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { operations } from '@svc/contract/operations';
import { createClient } from '@svc/sdk';
import { expect, test } from 'vitest';
import { API_PAGES, OPERATION_PAGES, type Place } from '../scripts/operation-pages.ts';
import { ROUTES } from '../src/app/routes.ts';
import catalog from '../src/generated/catalog.json' with { type: 'json' };

const SRC = path.join(import.meta.dirname, '../src');
const PAGES = path.join(SRC, 'pages');
/** A page may be made of parts of other pages and of forms. */
const IMPORT = /(?:\bfrom|\bimport\()\s*'(\.[^']+)'/g;

/** Returns the file of each page by its path. */
function findPageFiles(): ReadonlyMap<string, string> {
  return new Map(
    ROUTES.map(({ path: route, load }) => {
      const name = /([\w-]+\.tsx)/.exec(load.toString())?.[1];
      const [file, other] = globSync(`**/${name}`, { cwd: PAGES });
      if (file === undefined || other !== undefined) throw new Error(`${route}: one page should have the name ${name}`);
      return [route, path.join(PAGES, file)];
    }),
  );
}

/** Adds what the file and its imports in `pages`, `forms` and `data` say. */
function readWithImports(file: string, seen = new Map<string, string>()): ReadonlyMap<string, string> {
  if (seen.has(file) || !existsSync(file) || !/\/src\/(?:pages|forms|data)\/.*\.tsx?$/.test(file)) return seen;
  const text = readFileSync(file, 'utf8');
  seen.set(file, text);
  for (const [, name = ''] of text.matchAll(IMPORT)) readWithImports(path.join(path.dirname(file), name), seen);
  return seen;
}

/** A page that only shows the command does not call the operation. */
const withoutHints = (text: string) => text.replaceAll(/<CommandHint\b[\s\S]*?\/>/g, '');
const namesOf = (text: string) =>
  [...withoutHints(text).matchAll(/["']([a-z]+\/[a-z-]+)["']/g)].flatMap(([, name = '']) =>
    name in catalog ? [name] : [],
  );
const METHOD = /\.(\w+)\s*\.(\w+)\(/g;

/** Calls a method of the client and returns which operation it asks for. */
async function operationOf(resource: string, method: string): Promise<string | null> {
  let asked: string | null = null;
  const client = createClient({
    baseUrl: 'https://svc.example.com',
    apiKey: null,
    maxRetries: 0,
    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      const called = operations.find(
        (each) =>
          each.method === request.method && new RegExp(`^${each.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
      );
      asked ??= called?.id ?? null;
      return Response.json({}, { status: 404 });
    },
  }) as unknown as Record<string, Record<string, (...args: unknown[]) => unknown> | undefined>;
  const call = client[resource]?.[method];
  // `events.toLocaleString()` is of a number.
  if (call === undefined || method in Object.prototype) return null;
  const details = { from: '2026-03-01T00:00:00Z', email: 'a@example.com', url: 'https://example.com' };
  for (const args of [[1, 2], [1, details], [details]]) {
    try {
      const result = call(...args);
      if (typeof result === 'object' && result !== null && 'pages' in result) {
        for await (const _ of (result as { pages(): AsyncIterable<unknown> }).pages()) break;
      } else await result;
    } catch {
      // The arguments were of another method, or the answer was no answer.
    }
    if (asked !== null) return asked;
  }
  throw new Error(`Which operation does ${resource}.${method} call? Give it arguments here.`);
}

/** Returns what each page calls. */
async function findCalls(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const known = new Map<string, string | null>();
  const calls = new Map<string, ReadonlySet<string>>();
  for (const [page, file] of findPageFiles()) {
    const found = new Set<string>();
    for (const text of readWithImports(file).values()) {
      for (const name of namesOf(text)) found.add(name);
      for (const [, resource = '', verb = ''] of text.matchAll(METHOD)) {
        const method = `${resource}.${verb}`;
        if (!known.has(method)) known.set(method, await operationOf(resource, verb));
        const operation = known.get(method);
        if (operation !== undefined && operation !== null) found.add(operation);
      }
    }
    calls.set(page, found);
  }
  return calls;
}

const calls = await findCalls();
const places = Object.entries<Place>({ ...OPERATION_PAGES, ...API_PAGES });

test('the file of every page is found', () => {
  expect(calls.size).toBeGreaterThan(20);
  expect([...calls].filter(([, found]) => found.size === 0).map(([page]) => page)).toEqual(['/me']);
});

test('all operations are listed', () => {
  expect(Object.keys(API_PAGES).toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
  expect(Object.keys(OPERATION_PAGES).filter((name) => !name.startsWith('backup/'))).toEqual(
    expect.arrayContaining(Object.keys(catalog)),
  );
  expect(places.length).toBeGreaterThan(110);
});

test.each(places)('%s', (name, place) => {
  if ('reason' in place) {
    expect(place.reason).toMatch(/^[A-Z].*\.$/);
    // A reason that is out of date is removed.
    expect([...calls].filter(([, found]) => found.has(name)).map(([page]) => page)).toEqual([]);
    return;
  }
  const called = place.as ?? name;
  expect(calls.has(place.page), `there is no page ${place.page}`).toBe(true);
  const others = [...calls].filter(([, found]) => found.has(called)).map(([page]) => page);
  expect(
    calls.get(place.page)?.has(called),
    `${place.page} does not call ${called}; these do: ${others.join(', ')}`,
  ).toBe(true);
});
