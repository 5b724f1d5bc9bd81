import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { SUBSCRIBABLE_EVENT_TYPES } from '@svc/contract/vocabulary';

export const webhookArg = Args.string({
  description: 'Id of the webhook, oswhk_...',
  required: true,
});

export const eventFlag = Flags.option({
  options: SUBSCRIBABLE_EVENT_TYPES,
  description: 'Deliver this type of event; may be repeated',
  multiple: true,
});

export const descriptionFlag = Flags.string({
  description: 'What it is for, at most 500 characters',
  helpValue: 'TEXT',
});

/** Where the one showing of a secret goes. */
export const secretFileFlag = Flags.string({
  description: 'Write the secret to this file, readable by you alone, and do not print it',
  helpValue: 'FILE',
});

/** Of what deals with headers outside of any call to the service. */
export const headerPrefixFlag = Flags.string({
  description: 'How the names of the headers begin; default: SVC_HEADER_PREFIX, else as configured, else Service',
  helpValue: 'PREFIX',
});
