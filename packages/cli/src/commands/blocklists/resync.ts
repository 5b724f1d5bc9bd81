import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../command/base-command.ts';
import { usageError } from '../../errors/cli-error.ts';
import { durationFlag } from '../../command/duration.ts';
import { EXIT_CODES } from '../../errors/exit-codes.ts';
import { fieldsFlag } from '../../command/flags.ts';
import { paintFor } from '../../terminal/colors.ts';
import { parseFields } from '../../format/fields.ts';
import { printRecord } from '../../format/record.ts';
import { RESYNC_RESULT_FIELDS, toResyncResult } from '../../features/blocklists/resync-result.ts';
import { pickBlocklists, requireChoice } from '../../features/blocklists/pick.ts';
import { exitCodeOfResync, leftPaused, type ResyncState, startingState } from '../../features/blocklists/resync.ts';
import { renderResync, runResync } from '../../features/blocklists/run-resync.ts';

export default class BlocklistsResync extends BaseCommand {
  static override summary = 'Fetch block lists from the CRM anew and push them to the sequencer';
  static override description =
    `A resync reads the whole list in the CRM and switches a paused list on. Without --wait it is only queued.

For schedules: run it again after an interruption or a timeout, and with --wait a resync that is still under way is waited for and not begun again; --skip-in-progress lets it be instead. All lists are looked at with one request every --interval.

--json prints {exitCode, counts: {OUTCOME: number}, lists: [{id, outcome, blocklist, error}]}. The outcomes: queued (not waited for), synced, failed (blocklist.lastError says why), paused (by somebody, while it was waited for), timeout, in-progress (let be), left-paused (--all does not switch lists on), refused (error says why). When only one list is named and refused, or in progress, that is this command's own error.

Exit codes, the first that fits:
  0   every list was queued, has synced, or was let be as was asked for
  6, 9, 11 and others, when all lists ended alike: 6 in progress already, 9 failed or paused, 11 timed out, or that of the refusal
  11  some timed out, the others went well
  10  only a part of it was done
With 9, 10 and 11 the summary is printed as well.`;
  static override examples = [
    {
      description: 'Every night from cron: the exit code says how it went, the file how each list fared',
      command: '<%= config.bin %> blocklists resync --all --wait --timeout 2h --json > resync.json',
    },
    { description: 'Two lists, and watch them', command: '<%= config.bin %> blocklists resync 31 32 --wait' },
    {
      description: 'Queue what is not at work already',
      command: '<%= config.bin %> blocklists resync --all --skip-in-progress',
    },
  ];
  static override exitCodes = {
    6: 'it is being resynced already, and neither --wait nor --skip-in-progress was given',
    9: 'the resync that was waited for failed, or somebody paused the list',
    10: 'only a part of several lists was done',
    11: 'the time was over, and nothing else was wrong; the resync goes on',
  };
  static override args = {
    id: Args.integer({ description: 'Ids of block lists', multiple: true, min: 1 }),
  };
  static override flags = {
    all: Flags.boolean({ description: 'All lists that the key reaches and that are not paused' }),
    wait: Flags.boolean({ description: 'Wait until every list has come to rest' }),
    timeout: durationFlag({
      description: 'With --wait: how long at most',
      default: 30 * 60,
      defaultHelp: async () => '30m',
      min: 1,
    }),
    interval: durationFlag({
      description: 'With --wait: time between two looks, default 5s',
      helpValue: '5s',
      min: 1,
      dependsOn: ['wait'],
    }),
    'skip-in-progress': Flags.boolean({ description: 'Let lists be that are being resynced already: no failure' }),
    fields: fieldsFlag,
  };

  async run(): Promise<void> {
    const { args, flags, metadata } = await this.parse(BlocklistsResync);
    // A default beside `dependsOn` would be refused as if it had been given.
    if (!flags.wait && metadata.flags.timeout?.setFromDefault !== true) {
      throw usageError('--timeout goes with --wait: it is how long is waited for the end');
    }
    const fields = flags.fields === undefined ? null : parseFields(flags.fields, RESYNC_RESULT_FIELDS);
    requireChoice({ ids: args.id ?? [], all: flags.all });
    const client = this.connect({ ...flags, timeout: this.attemptSeconds() });
    const lists = await pickBlocklists(client, { ids: args.id ?? [], all: flags.all });
    const starting = lists.map(({ id, blocklist }) =>
      flags.all && blocklist?.isEnabled === false ? leftPaused(blocklist) : startingState(id, blocklist),
    );
    const { timeout, interval = 5 } = flags;
    const skipsInProgress = flags['skip-in-progress'];
    const { states, isDrawn } = await runResync(client, starting, {
      wait: flags.wait ? { timeoutMs: timeout * 1000, pollMs: interval * 1000 } : null,
      skipsInProgress,
      isQuiet: flags.json || fields !== null,
    });
    const exitCode = exitCodeOfResync(states, skipsInProgress);
    if (!flags.all) throwOnlyRefusal(states, exitCode);
    const paint = paintFor(process.stdout);
    const render = () => (isDrawn || states.length === 0 ? '' : renderResync(states));
    await printRecord(toResyncResult(states, exitCode), { isJson: flags.json, fields, paint, render });
    if (states.length === 0 && !flags.json) this.notice('The key reaches no block list.');
    process.exitCode = exitCode;
  }
}

/** One list, and the service did not take it: that is no summary but the answer. */
function throwOnlyRefusal([state, ...others]: readonly ResyncState[], exitCode: number): void {
  if (state !== undefined && others.length === 0 && exitCode !== EXIT_CODES.ok && state.cause !== null)
    throw state.cause;
}
