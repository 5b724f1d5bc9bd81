import type { Command } from 'commander';
import { parseCount } from '../options.ts';
import { type AdminOptions, defineVerb } from './define.ts';
import { runAdmin } from './run.ts';
import { renderTable } from './table.ts';

export function defineAudit(program: Command): void {
  const audit = program.command('audit').description('what was changed by these commands');
  defineVerb(audit, 'list', 'list who changed what, newest first; never secrets', 'audit list --since 7d')
    .option('--since <when>', 'only from then on: 7d, 12h, or a date such as 2027-01-31')
    .option('--limit <number>', 'at most so many', parseCount, 100)
    .action(async (options: AdminOptions & { since?: string; limit: number }) => {
      const { since, limit } = options;
      await runAdmin('audit/list', { since, limit }, options, (result) => ({
        text: renderTable(
          result.entries,
          {
            AT: (row) => row.at,
            WHO: (row) => row.actor,
            OPERATION: (row) => row.operation,
            OUTCOME: (row) => row.outcome ?? 'interrupted',
            INPUT: (row) => (row.input === null ? null : JSON.stringify(row.input)),
          },
          'Nothing was changed by a command.',
        ),
      }));
    });
}
