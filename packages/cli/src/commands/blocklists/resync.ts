import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../command/base-command.ts';
import { usageError } from '../../errors/cli-error.ts';
import { durationFlag } from '../../command/duration.ts';
import { EXIT_CODES } from '../../errors/exit-codes.ts';
import { fieldsFlag } from '../../command/flags.ts';
import { parseFields } from '../../format/fields.ts';
import { printRecord } from '../../format/record.ts';
import { RESYNC_RESULT_FIELDS, toResyncResult } from '../../features/blocklists/resync-result.ts';
import { pickBlocklists, requireChoice } from '../../features/blocklists/pick.ts';
import { exitCodeOfResync, leftPaused, type ResyncState, startingState } from '../../features/blocklists/resync.ts';
import { noteReadOnlyKey } from '../../command/note-read-only-key.ts';
import { predictResyncs } from '../../features/blocklists/resync-dry-run.ts';
import { renderDryRun, renderResync, runResync } from '../../features/blocklists/run-resync.ts';

export default class BlocklistsResync extends BaseCommand {
  static override summary = 'Fetch block lists from the CRM again and push them to the sequencer';
  static override description =
    `A resync reads the whole list from the CRM and enables a paused list. Without --wait it is only queued.

After an interruption or a timeout, run the same command again: with --wait it waits for a resync that is still in progress, with --skip-in-progress it skips the list. One request every --interval reads the state of all lists.

--all skips lists that no request can resync: paused lists, those without a CRM source, and those on a connection without block lists. They are no failure. A list that is given by its id and cannot be resynced is one.

--dry-run shows what would be resynced and skipped, with the same exit codes, and sends no resync. It cannot know whether a list has a CRM source or a fetch is still queued: the API tells this only in answer to a resync.

--json prints {exitCode, dryRun, counts: {OUTCOME: number}, lists: [{id, outcome, blocklist, error}]}. The outcomes: queued (without --wait; with --dry-run, it would be), synced, failed (blocklist.lastError says why), paused (by somebody else during the wait), timeout, in-progress (skipped; with --wait --dry-run, it would be waited for), refused (error says why), and, skipped by --all, left-paused, no-crm-source and not-enabled. If only one list is given and it is refused or in progress, the command fails with that error.

Exit codes, the first that applies:
  0   every list was queued, synced or skipped
  6, 9, 11 and others, if all lists ended the same way: 6 already in progress, 9 failed or paused, 11 timed out, else the code of the refusal
  11  some timed out, the others succeeded
  10  some succeeded, others did not
With 9, 10 and 11 the summary is printed too.`;
  static override examples = [
    {
      description: 'Every night from cron: the exit code is the overall result, the file has the result of each list',
      command: '<%= config.bin %> blocklists resync --all --wait --timeout 2h --json > resync.json',
    },
    { description: 'Resync two lists and watch them', command: '<%= config.bin %> blocklists resync 31 32 --wait' },
    {
      description: 'Show what that would do',
      command: '<%= config.bin %> blocklists resync --all --wait --dry-run',
    },
    {
      description: 'Queue all lists that are not being resynced',
      command: '<%= config.bin %> blocklists resync --all --skip-in-progress',
    },
  ];
  static override exitCodes = {
    6: 'a resync is already in progress, and neither --wait nor --skip-in-progress was given',
    9: 'with --wait: the resync failed, or somebody paused the list',
    10: 'only some of the lists were resynced',
    11: 'the timeout was reached without other failures; the resync continues',
  };
  static override args = {
    id: Args.integer({ description: 'Ids of block lists', multiple: true, min: 1 }),
  };
  static override flags = {
    all: Flags.boolean({ description: 'All lists accessible with the key that can be resynced and are not paused' }),
    'dry-run': Flags.boolean({ description: 'Show what would be resynced, and resync nothing', default: false }),
    wait: Flags.boolean({ description: 'Wait until every resync has ended' }),
    timeout: durationFlag({
      description: 'With --wait: the longest time to wait',
      default: 30 * 60,
      defaultHelp: async () => '30m',
      min: 1,
    }),
    interval: durationFlag({
      description: 'With --wait: time between two requests, default 5s',
      helpValue: '5s',
      min: 1,
      dependsOn: ['wait'],
    }),
    'skip-in-progress': Flags.boolean({ description: 'Skip lists that are already being resynced' }),
    fields: fieldsFlag,
  };

  async run(): Promise<void> {
    const { args, flags, metadata } = await this.parse(BlocklistsResync);
    // oclif's `dependsOn` would also refuse the default value.
    if (!flags.wait && metadata.flags.timeout?.setFromDefault !== true) {
      throw usageError('--timeout needs --wait');
    }
    const fields = parseFields(flags.fields, RESYNC_RESULT_FIELDS);
    requireChoice({ ids: args.id ?? [], all: flags.all });
    const client = this.connect({ ...flags, timeout: this.attemptSeconds() });
    const lists = await pickBlocklists(client, { ids: args.id ?? [], all: flags.all });
    const starting = lists.map(({ id, blocklist }) =>
      flags.all && blocklist?.isEnabled === false ? leftPaused(blocklist) : startingState(id, blocklist),
    );
    const { timeout, interval = 5 } = flags;
    const dryRun = flags['dry-run'];
    const plan = {
      wait: flags.wait ? { timeoutMs: timeout * 1000, pollMs: interval * 1000 } : null,
      skipsInProgress: flags['skip-in-progress'],
      isAll: flags.all,
    };
    if (dryRun) await noteReadOnlyKey(client, flags.json);
    const { states, isDrawn } = dryRun
      ? { states: await predictResyncs(client, starting, plan), isDrawn: false }
      : await runResync(client, starting, { ...plan, isQuiet: flags.json || fields !== null });
    const exitCode = exitCodeOfResync(states, plan);
    if (!flags.all) throwOnlyRefusal(states, exitCode);
    const render = () => (dryRun ? renderDryRun(states) : renderResync(states));
    await printRecord(toResyncResult(states, { exitCode, dryRun }), {
      isJson: flags.json,
      fields,
      render: () => (isDrawn || states.length === 0 ? '' : render()),
    });
    if (states.length === 0 && !flags.json) this.notice('No block lists are accessible with this key.');
    process.exitCode = exitCode;
  }
}

/** Fails with the refusal if a single list was given. */
function throwOnlyRefusal([state, ...others]: readonly ResyncState[], exitCode: number): void {
  if (state !== undefined && others.length === 0 && exitCode !== EXIT_CODES.ok && state.cause !== null)
    throw state.cause;
}
