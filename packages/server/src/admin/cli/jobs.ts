import type { Command } from 'commander';
import { defineVerb } from './define.ts';
import { type AdminOptions, parseCount } from './options.ts';
import { runAdmin } from './run.ts';
import { renderTable } from './table.ts';

interface KindOptions extends AdminOptions {
  kind?: string;
}

export function defineJobs(program: Command): void {
  const jobs = program
    .command('jobs')
    .description('jobs that threw the same error again and again, and were set aside');

  defineVerb(jobs, 'list', 'list jobs that were set aside, with their errors', 'jobs list --kind write-crm')
    .option('--kind <kind>', 'only of this kind, such as write-crm')
    .option('--limit <number>', 'maximum number of jobs', parseCount, 100)
    .action(async ({ kind, limit, ...options }: KindOptions & { limit: number }) => {
      await runAdmin('jobs/list', { kind, limit }, options, (result) => ({
        text: renderTable(
          result.jobs,
          {
            KIND: (row) => row.kind,
            REF: (row) => row.ref,
            'SET ASIDE': (row) => row.setAsideAt,
            ERROR: (row) => row.error,
          },
          'No job is set aside.',
        ),
      }));
    });

  defineVerb(jobs, 'retry', 'run them again, for example after an update', 'jobs retry')
    .option('--kind <kind>', 'only of this kind, such as write-crm')
    .action(async ({ kind, ...options }: KindOptions) => {
      await runAdmin('jobs/retry', { kind }, options, ({ retried }) => ({
        text:
          retried === 0
            ? 'No job is set aside.'
            : `Jobs that run again: ${retried}. One that throws again comes back here: svc-server jobs list`,
      }));
    });
}
