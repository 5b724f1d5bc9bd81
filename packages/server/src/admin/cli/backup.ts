import type { Config } from '@svc/engine/config/config';
import type { Manifest } from '@svc/operations/declared/backup';
import type { Command } from 'commander';
import { type AdminOptions, collect, configFor, warnOfUnknownVariables } from './options.ts';
import { print } from './run.ts';
import type { PassphraseSource } from '../backup/backup-keys.ts';
import { sanitize } from '@svc/engine/runtime/terminal-text';

interface KeyOptions extends AdminOptions {
  passphraseFile?: string;
}

interface RestoreFlags extends KeyOptions {
  identityFile?: string;
  replace: boolean;
  acceptCopy: boolean;
  verify: boolean;
}

export function defineBackup(program: Command): void {
  defineBackupCommand(
    program,
    'backup <file>',
    'write the embedded database and its encryption key to an encrypted file, beside the running server',
  )
    .option(
      '--recipient <key>',
      'encrypt for this public key of age (age1...) instead of a passphrase; repeatable',
      collect,
    )
    .addHelpText('after', BACKUP_HELP)
    .action(async (file: string, options: KeyOptions & { recipient?: string[] }) => {
      if (!options.json) warnOfUnknownVariables();
      const config = configFor(options);
      const { createEncrypter } = await import('../backup/backup-keys.ts');
      const { assertEmbedded, writeBackup } = await import('../backup/write-backup.ts');
      // Before a passphrase is asked for in vain.
      assertEmbedded(config);
      const encrypter = await createEncrypter(options.recipient ?? [], passphraseOf(options, config));
      const manifest = await writeBackup(config, file, { encrypter, signal: interrupted() });
      const note = manifest.hasKey
        ? ''
        : 'The encryption key is not in it, because it is not in the data directory: keep that of SVC_ENCRYPTION_KEY.\n';
      show(options, { file, ...manifest }, `Wrote ${sanitize(file)}: ${describe(manifest)}.\n${note}`);
    });

  defineBackupCommand(program, 'restore <file>', 'restore a backup into a data directory that no server has open')
    .option('--identity-file <file>', 'private keys of age that open a backup made with --recipient')
    .option('--replace', 'move the database and key that are there aside, to a folder replaced-...', false)
    .option('--accept-copy', 'no server uses the original any more: start without asking', false)
    .option('--verify', 'only read and check the whole backup', false)
    .addHelpText('after', RESTORE_HELP)
    .action(async (file: string, options: RestoreFlags) => {
      if (!options.json) warnOfUnknownVariables();
      const config = configFor(options);
      const { createDecrypter } = await import('../backup/backup-keys.ts');
      const { restoreBackup, verifyBackup } = await import('../backup/restore-backup.ts');
      const { assertEmbedded } = await import('../backup/write-backup.ts');
      if (!options.verify) assertEmbedded(config);
      const decrypter = await createDecrypter(options.identityFile, passphraseOf(options, config));
      if (options.verify) {
        const manifest = await verifyBackup(file, decrypter);
        return show(options, { file, ...manifest }, `${sanitize(file)} is whole: ${describe(manifest)}.\n`);
      }
      const { DEFAULT_DATA_DIR } = await import('../execute.ts');
      const dataDir = config.dataDir ?? DEFAULT_DATA_DIR;
      const { manifest, aside } = await restoreBackup(file, {
        ...{ decrypter, dataDir, now: new Date() },
        ...{ replaces: options.replace, acceptsCopy: options.acceptCopy },
      });
      const lines = [
        `Restored ${sanitize(file)} into ${dataDir}: ${describe(manifest)}.`,
        ...(aside === null ? [] : [`What was there is in ${aside}: delete it when the server works.`]),
        ...(manifest.hasKey
          ? []
          : ['The encryption key is not in the backup: set SVC_ENCRYPTION_KEY to that of the original.']),
        `Events received after the backup are not in it. Its waiting jobs (${manifest.waitingJobs}) run at the next start, also those that the original has done since: webhooks, forwarded payloads and mails may arrive twice.`,
        ...(options.acceptCopy ? [] : ['If no server uses the original any more, start once with --accept-copy.']),
      ];
      show(options, { file, aside, ...manifest, dataDir }, `${lines.join('\n')}\n`);
    });
}

function defineBackupCommand(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .option('--data-dir <dir>', 'folder of the embedded database (default: SVC_DATA_DIR, else .svc/data)')
    .option(
      '--passphrase-file <file>',
      'file with the passphrase (default: SVC_BACKUP_PASSPHRASE, else it is asked for)',
    )
    .option('--json', 'print one JSON document to stdout, and errors as JSON to stderr');
}

const BACKUP_HELP = `
Examples:
  $ svc-server backup backup.svc --passphrase-file passphrase
  $ svc-server backup backup.svc --recipient age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p`;

const RESTORE_HELP = `
Examples:
  $ svc-server restore backup.svc --verify
  $ svc-server restore backup.svc --data-dir data --accept-copy`;

function passphraseOf({ passphraseFile }: KeyOptions, { backupPassphrase }: Config): PassphraseSource {
  return { passphraseFile, configured: backupPassphrase };
}

function describe({ createdAt, release, schema }: Manifest): string {
  return `made at ${createdAt} by release ${release}, schema ${schema}`;
}

function show({ json }: AdminOptions, result: object, text: string): void {
  print(json ? `${JSON.stringify(result, null, 2)}\n` : text);
}

/** Aborts at SIGINT or SIGTERM, so that nothing is left behind; a second one ends the process. */
function interrupted(): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  return stop.signal;
}
