import * as Flags from '@oclif/core/flags';
import { EVENT_TYPES } from '@svc/contract/vocabulary';

/** Which events. */
export const eventFilterFlags = {
  type: Flags.option({
    options: EVENT_TYPES,
    description: 'Only events of this type; may be given several times',
    multiple: true,
  })(),
  delivered: Flags.boolean({
    description: 'Only events that a webhook has received, or, with --no-delivered, that none has',
    allowNo: true,
  }),
};
