import * as Flags from '@oclif/core/flags';
import { EVENT_TYPES } from '@svc/contract/vocabulary';

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
