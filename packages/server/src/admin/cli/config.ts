/** `svc-server config export | plan | check | apply`. */
import { applyConfig, checkConfig, exportConfig, planConfig } from '@svc/operations/declared/config';
import type { ResultOf } from '@svc/operations/declared/declare';
import type { Command } from 'commander';
import { type HandWritten, handWritten } from './define.ts';

/** Where editors find the schema. */
const SCHEMA = 'config.schema.json';

/** The exit code when the file does not say what is stored. */
const DRIFT = 2;

function define(command: Command): void {
  command.argument('<file>', 'the configuration file').option('--account <name>', 'only this account of the file');
}

const complete: HandWritten['complete'] = async (input, { account }, command) => {
  const { readConfigDocument } = await import('./config-document.ts');
  const name = typeof account === 'string' ? account : undefined;
  return { ...input, ...(await readConfigDocument(command.args[0] ?? '', name)) };
};

function reportDrift({ steps, manual }: ResultOf<typeof planConfig>): void {
  if (steps.length + manual.length > 0) process.exitCode = DRIFT;
}

export const config = [
  handWritten(exportConfig, {
    async print({ accounts }) {
      const { stringify } = await import('yaml');
      const text = stringify({ version: 1, accounts }, { lineWidth: 0 });
      return {
        text: `# yaml-language-server: $schema=${SCHEMA}\n${text}`,
        note: 'Tokens are not in it: where a connection, key or block list names none, the stored one stays.',
      };
    },
  }),
  handWritten(planConfig, { define, complete, after: reportDrift }),
  handWritten(checkConfig, { define, complete, after: reportDrift }),
  handWritten(applyConfig, { define, complete }),
];
