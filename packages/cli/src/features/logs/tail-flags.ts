import * as Flags from '@oclif/core/flags';
import { durationFlag } from '../../command/duration.ts';
import { fieldsFlag } from '../../command/flags.ts';

/** How a log is watched. */
export const tailFlags = {
  since: Flags.string({
    description: 'Begin with what came since then: 10m, 24h, yesterday, 2026-01-31T08:00:00Z; default: from now on',
    helpValue: 'TIME',
  }),
  interval: durationFlag({
    description: 'Time between two looks, default 5s; a look is one request of the 120 in a minute',
    helpValue: '5s',
    min: 1,
  }),
  fields: fieldsFlag,
};

/** What every tail says of itself. */
export const TAIL_NOTE =
  'Prints what is new, oldest first, until Ctrl-C: a line for each in a terminal; with --json or --fields, or into a file or pipe, a line of JSON. Each comes once, also what becomes visible up to a minute late. While the service does not answer, it says so on stderr and tries again.';
