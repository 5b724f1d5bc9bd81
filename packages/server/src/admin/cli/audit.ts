import type { Command } from 'commander';
import { type AdminOptions, parseCount } from './options.ts';
import { defineVerb } from './define.ts';
import { runAdmin } from './run.ts';
import { renderTable } from './table.ts';

export function defineAudit(program: Command): void {
  const audit = program.command('audit').description('the log of changes by these commands');
  defineVerb(audit, 'list', 'list changes, newest first, without secrets', 'audit list --since 7d')
    .option(
      '--since <when>',
      'only entries since then: 7d, 1h30m, yesterday, 2027-01-31 or "2027-01-31 08:00" (UTC without an offset)',
    )
    .option('--limit <number>', 'maximum number of entries', parseCount, 100)
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
          'No changes are recorded.',
        ),
      }));
    });
}
