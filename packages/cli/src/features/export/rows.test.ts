import type { Page } from '@svc/sdk';
import { expect, test } from 'vitest';
import { createRowEncoder } from '../../format/row-encoder.ts';
import { createStreamSink, exportRows } from './rows.ts';

type Row = { readonly id: number };

function createMemorySink(failAt = Number.POSITIVE_INFINITY) {
  const events: string[] = [];
  const sink = {
    isTerminal: false,
    async write(text: string) {
      if (events.length >= failAt) throw new Error('disk full');
      events.push(text);
    },
    async commit() {
      events.push('commit');
    },
    async discard() {
      events.push('discard');
    },
  };
  return { events, sink: createStreamSink(sink, createRowEncoder('csv', null, ['id'])) };
}

async function* pagesOf(...pages: (readonly Row[] | Error)[]): AsyncGenerator<Page<Row>> {
  for (const [index, data] of pages.entries()) {
    if (data instanceof Error) throw data;
    const hasMore = index + 1 < pages.length;
    yield { data, hasMore, resume: hasMore ? { cursor: String(index) } : null };
  }
}

test('writes page by page and reports each written page', async () => {
  const { events, sink } = createMemorySink();
  const reported: (readonly [count: number, written: number])[] = [];
  const rows = await exportRows({
    pages: pagesOf([{ id: 3 }, { id: 2 }], [], [{ id: 1 }]),
    sink,
    onPage: (page) => reported.push([page.length, events.length]),
  });
  expect(events).toEqual(['id\n3\n2\n', '', '1\n', '', 'commit']);
  expect(reported).toEqual([
    [2, 1],
    [0, 2],
    [1, 3],
  ]);
  expect(rows).toBe(3);
});

test('passes the resume point of each page', async () => {
  const places: unknown[] = [];
  const sink = {
    isTerminal: false,
    isResumable: () => true,
    async writePage(_rows: readonly Row[], resume: unknown) {
      places.push(resume);
    },
    async finish() {},
    async abandon() {},
  };
  await exportRows({ pages: pagesOf([{ id: 2 }], [{ id: 1 }]), sink });
  expect(places).toEqual([{ cursor: '0' }, null]);
});

test('writes nothing after a refusal before the first page', async () => {
  const { events, sink } = createMemorySink();
  await expect(exportRows({ pages: pagesOf(new Error('refused')), sink })).rejects.toThrow('refused');
  expect(events).toEqual(['discard']);
});

test('a failure of the list or the disk discards the output', async () => {
  const { events, sink } = createMemorySink();
  await expect(exportRows({ pages: pagesOf([{ id: 1 }], new Error('reset')), sink })).rejects.toThrow('reset');
  expect(events.at(-1)).toBe('discard');
  const full = createMemorySink(1);
  await expect(exportRows({ pages: pagesOf([{ id: 2 }], [{ id: 1 }]), sink: full.sink })).rejects.toThrow('disk full');
  expect(full.events).toEqual(['id\n2\n', 'discard']);
});
