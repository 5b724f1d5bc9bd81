import type { Command } from 'commander';
import { parseSwitch } from '../options.ts';

export interface SwitchOptions {
  api?: boolean;
  sync?: boolean;
  destinations?: boolean;
  blocklists?: boolean;
}

/** The switches of a connection; the defaults are those of a new one. */
export function withSwitches(command: Command): Command {
  return command
    .option('--api <on|off>', 'whether the API shows it (new: on)', parseSwitch)
    .option('--sync <on|off>', 'whether events are written to the CRM (new: on)', parseSwitch)
    .option('--destinations <on|off>', 'whether events are forwarded and replies relayed (new: off)', parseSwitch)
    .option('--blocklists <on|off>', 'whether block lists are kept in step (new: off)', parseSwitch);
}
