import * as z from 'zod';
import type { StoredAuditEntry } from '../store/audit-log.ts';
import { declare, list, noun, flagged } from './declare.ts';
import { count, when } from './fields.ts';
import { renderTable } from './table.ts';

export const listAudit = declare({
  name: 'audit/list',
  description: 'list changes, newest first, without secrets',
  example: '--since 7d',
  permission: 'read',
  input: z.strictObject({
    since: when(
      '--since <when>',
      'only entries since then: 7d, 1h30m, yesterday, 2027-01-31 or "2027-01-31 08:00" (UTC without an offset)',
    ).optional(),
    limit: count(10_000).default(100).meta(flagged('--limit <number>', 'maximum number of entries')),
  }),
  result: { entries: list<StoredAuditEntry>('id', 'at', 'actor', 'operation', 'input', 'outcome') },
  print: ({ entries }) =>
    renderTable(
      entries,
      {
        AT: 'at',
        WHO: 'actor',
        OPERATION: 'operation',
        OUTCOME: (row) => row.outcome ?? 'interrupted',
        INPUT: (row) => (row.input === null ? null : JSON.stringify(row.input)),
      },
      'No changes are recorded.',
    ),
});

export const audit = noun('audit', 'the log of changes by these commands', [listAudit]);
