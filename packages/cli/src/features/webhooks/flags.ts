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
  description: 'Purpose of the webhook, at most 500 characters',
  helpValue: 'TEXT',
});

export const secretFileFlag = Flags.string({
  description: 'Write the secret to this file, readable only by you, instead of printing it',
  helpValue: 'FILE',
});

export const headerPrefixFlag = Flags.string({
  description: 'Prefix of the header names; default: SVC_HEADER_PREFIX, else as configured, else Service',
  helpValue: 'PREFIX',
});
