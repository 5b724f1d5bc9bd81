import * as Flags from '@oclif/core/flags';
import { durationFlag } from '../../command/duration.ts';
import { fieldsFlag } from '../../command/flags.ts';
import { EVENT_TYPES } from '@svc/contract/vocabulary';

export const tailFlags = {
  since: Flags.string({
    description:
      'Start with rows since then: 10m, 1h30m, yesterday, "2026-01-31 08:00" (UTC without an offset); default: new rows only',
    helpValue: 'TIME',
  }),
  interval: durationFlag({
    description: 'Time between two requests, default 5s; they count towards the 120 requests a minute',
    helpValue: '5s',
    min: 1,
  }),
  fields: fieldsFlag,
};

/** Description of every tail in `--help`. */
export const TAIL_NOTE =
  'Prints new rows, oldest first, until Ctrl-C: one line of text per row in a terminal, one line of JSON with --json or --fields or into a file or pipe. Each row is printed once, also rows that become visible up to a minute late. If the service does not answer, a note is printed on stderr and the request is retried.';

export const eventFilterFlags = {
  type: Flags.option({
    options: EVENT_TYPES,
    description: 'Only events of this type; may be repeated',
    multiple: true,
  })(),
  delivered: Flags.boolean({
    description: 'Only events that a webhook has received; --no-delivered: events that none has received',
    allowNo: true,
  }),
};
