import type { Page } from '@svc/sdk';
import { expect, test } from 'vitest';
import { createRowEncoder } from '../output/row-encoder.ts';
import { type ExportProgress, exportRows } from './export-rows.ts';

function createMemorySink(failAt = Number.POSITIVE_INFINITY) {
  const events: string[] = [];
  return {
    events,
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
}

async function* pagesOf(...pages: (readonly { id: number }[] | Error)[]): AsyncGenerator<Page<{ id: number }>> {
  for (const [index, data] of pages.entries()) {
    if (data instanceof Error) throw data;
    const hasMore = index + 1 < pages.length;
    yield { data, hasMore, resume: hasMore ? { cursor: String(index) } : null };
  }
}
const csv = () => createRowEncoder('csv', null, ['id']);

test('a page at a time, each reported with the place to go on from once it is written', async () => {
  const sink = createMemorySink();
  const told: ExportProgress[] = [];
  const written: number[] = [];
  const onPage = (progress: ExportProgress) => {
    told.push(progress);
    written.push(sink.events.length);
  };
  const result = await exportRows({
    pages: pagesOf([{ id: 3 }, { id: 2 }], [], [{ id: 1 }]),
    encoder: csv(),
    sink,
    onPage,
  });
  expect(sink.events).toEqual(['id\n3\n2\n', '', '1\n', '', 'commit']);
  expect(written).toEqual([1, 2, 3]);
  expect(told.map(({ rows, resume }) => [rows, resume?.cursor])).toEqual([
    [2, '0'],
    [2, '1'],
    [3, undefined],
  ]);
  expect(result).toEqual({ rows: 3, pages: 3, resume: null });
});

test('a refusal before the first page leaves nothing written', async () => {
  const sink = createMemorySink();
  await expect(exportRows({ pages: pagesOf(new Error('refused')), encoder: csv(), sink })).rejects.toThrow('refused');
  expect(sink.events).toEqual(['discard']);
});

test('a failure in the middle, of the list or of the disk, discards', async () => {
  const sink = createMemorySink();
  await expect(exportRows({ pages: pagesOf([{ id: 1 }], new Error('reset')), encoder: csv(), sink })).rejects.toThrow(
    'reset',
  );
  expect(sink.events.at(-1)).toBe('discard');
  const full = createMemorySink(1);
  await expect(exportRows({ pages: pagesOf([{ id: 2 }], [{ id: 1 }]), encoder: csv(), sink: full })).rejects.toThrow(
    'disk full',
  );
  expect(full.events).toEqual(['id\n2\n', 'discard']);
});
