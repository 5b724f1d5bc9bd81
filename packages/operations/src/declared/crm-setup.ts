/** Commands that prepare the CRM of a connection, and prove what this release expects of it. */
import type { CrmStatement, PreparedItem } from '@svc/crm';
import * as z from 'zod';
import { declare, flagged, list, notices, one } from './declare.ts';
import { oneOf } from './fields.ts';
import { renderTable } from './table.ts';

export const prepareConnection = declare({
  name: 'connections/prepare',
  description: "make the properties in a connection's CRM that last values and outcomes of write policies need",
  details:
    'What is there stays as it is, so it can be repeated ([last values](../../docs/policy.md#last-values)). It exits with 1 when the CRM refuses something; the pages of the [CRMs](../../docs/crm) say which permissions it needs.',
  example: '2 --dry-run',
  permission: 'write',
  input: z.strictObject({
    id: oneOf('connection'),
    isDryRun: z.boolean().default(false).meta(flagged('--dry-run', 'only say what is missing')),
  }),
  result: { id: one<number>(), crm: one<string>(), items: list<PreparedItem>('name', 'state', 'note') },
  isIncomplete: ({ items }) => items.some(({ state }) => state === 'refused'),
  print: ({ items }) =>
    renderTable(
      items,
      { STATE: 'state', WHAT: 'name', NOTE: (item) => item.note ?? '' },
      'The CRM needs no preparation.',
    ),
});

export const selfTestConnection = declare({
  name: 'connections/selftest',
  description: "prove in a connection's CRM what this release expects of it",
  details:
    'It writes a person of its own (`svc-selftest-...@selftest.example.com`), reads what became of it, and removes it. Each statement that the page of the [CRM](../../docs/crm) marks as not verified is one line. It exits with 1 when one differs: send the report to the maintainers; it has nothing of your records.',
  example: '2',
  permission: 'write',
  input: z.strictObject({
    id: oneOf('connection'),
    isKept: z.boolean().default(false).meta(flagged('--keep', 'leave the records in the CRM')),
  }),
  result: {
    id: one<number>(),
    crm: one<string>(),
    statements: list<CrmStatement>('id', 'title', 'result', 'detail'),
    notices,
  },
  isIncomplete: ({ statements }) => statements.some(({ result }) => result === 'differs'),
  print: ({ crm, statements }) => {
    const count = (result: CrmStatement['result']) =>
      statements.filter((statement) => statement.result === result).length;
    const lines = statements.map(
      ({ id, title, result, detail }) =>
        `${result.padEnd(10)}  ${id}  ${title}${detail === null ? '' : `\n${' '.repeat(12)}${detail}`}`,
    );
    const total = `${crm}: ${count('holds')} hold, ${count('differs')} differ, ${count('not tested')} not tested.`;
    return [...lines, total].join('\n');
  },
});
