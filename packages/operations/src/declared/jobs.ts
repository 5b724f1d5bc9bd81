import type { SetAsideJob } from '@svc/engine/queue/set-aside';
import * as z from 'zod';
import { declare, list, noun, one, flagged } from './declare.ts';
import { count } from './fields.ts';
import { renderTable } from './table.ts';

const kind = z
  .string()
  .min(1, 'must name a kind of job, such as write-crm')
  .meta(flagged('--kind <kind>', 'only of this kind, such as write-crm'))
  .optional();

export const listJobs = declare({
  name: 'jobs/list',
  description: 'list jobs that were set aside, with their errors',
  details: 'The oldest of each kind come first.',
  example: '--kind write-crm',
  permission: 'read',
  input: z.strictObject({
    kind,
    limit: count(10_000).default(100).meta(flagged('--limit <number>', 'maximum number of jobs')),
  }),
  result: { jobs: list<SetAsideJob>() },
  print: ({ jobs: rows }) =>
    renderTable(rows, { KIND: 'kind', REF: 'ref', 'SET ASIDE': 'setAsideAt', ERROR: 'error' }, 'No job is set aside.'),
});

export const retryJobs = declare({
  name: 'jobs/retry',
  description: 'run them again, for example after an update',
  permission: 'write',
  input: z.strictObject({ kind }),
  result: { retried: one<number>() },
  print: ({ retried }) =>
    retried === 0
      ? 'No job is set aside.'
      : `Jobs that run again: ${retried}. One that throws again comes back here: svc-server jobs list`,
});

export const jobs = noun('jobs', 'jobs that threw the same error again and again, and were set aside', [
  listJobs,
  retryJobs,
]);
