import type { Command } from 'commander';
import { parseSwitch } from './options.ts';

export interface SwitchOptions {
  api?: boolean;
  sync?: boolean;
  destinations?: boolean;
  blocklists?: boolean;
}

/** Adds the switches of a connection; the help shows the defaults of a new one. */
export function withSwitches(command: Command): Command {
  return command
    .option('--api <on|off>', 'API access (new connections: on)', parseSwitch)
    .option('--sync <on|off>', 'writing events to the CRM (new connections: on)', parseSwitch)
    .option('--destinations <on|off>', 'forwarding events and relaying replies (new connections: off)', parseSwitch)
    .option('--blocklists <on|off>', 'block lists (new connections: off)', parseSwitch);
}
