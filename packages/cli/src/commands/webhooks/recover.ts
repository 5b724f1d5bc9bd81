import { setTimeout } from 'node:timers/promises';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../command/base-command.ts';
import { yesFlag } from '../../command/flags.ts';
import { noteReadOnlyKey } from '../../command/note-read-only-key.ts';
import { setInterruptHint } from '../../terminal/interrupts.ts';
import { webhookArg } from '../../features/webhooks/flags.ts';
import type { Paint } from '../../terminal/colors.ts';
import { startProgress } from '../../terminal/progress.ts';
import { renderProgress } from '../../terminal/progress-bar.ts';
import { printRecord } from '../../format/record.ts';
import { terminalWidth } from '../../terminal/stdout.ts';
import { confirm } from '../../command/confirm.ts';
import {
  REPEAT_HINT,
  planRecovery,
  type Replayed,
  replayAll,
  toSummary,
  renderRecovery,
} from '../../features/webhooks/recover.ts';
import { resolveRange } from '../../command/time-range.ts';

export default class WebhooksRecover extends BaseCommand {
  static override summary = 'Replay all failed deliveries of a webhook since a time';
  static override description =
    'Replays DEAD and FAILED deliveries, oldest first, at the rate of --per-minute. Skips events that were delivered since or have a pending delivery, and all but the last of several failures of one event, so the command can be repeated. Asks for confirmation; without a terminal, --yes is needed. --json prints {"webhookId", "since", "dryRun", "found", "queued": [{"id", "replayId"}], "skipped": [{"id", "reason"}], "refused": [{"id", "status", "message"}]}, where reason is recovered, pending or superseded; with --dry-run, queued lists the deliveries that would be replayed.';
  static override examples = [
    {
      description: 'Show the failures since yesterday',
      command: '<%= config.bin %> webhooks recover oswhk_01 --since yesterday --dry-run',
    },
    {
      description: 'Replay them at a low rate',
      command: '<%= config.bin %> webhooks recover oswhk_01 --since yesterday --per-minute 20 --yes',
    },
  ];
  static override exitCodes = {
    2: 'also no --yes without a terminal',
    10: 'some were replayed, others refused',
  };
  static override args = { id: webhookArg };
  static override flags = {
    since: Flags.string({
      description:
        'Replay deliveries since then: 7d, 1h30m, yesterday, 2026-01-31, "2026-01-31 08:00" (UTC without an offset)',
      helpValue: 'TIME',
      required: true,
    }),
    'dry-run': Flags.boolean({ description: 'Show what would be replayed, and replay nothing', default: false }),
    'per-minute': Flags.integer({
      description: 'Replays per minute; the account is limited to 120 calls',
      default: 60,
      min: 1,
      max: 6000,
      helpValue: 'COUNT',
    }),
    yes: yesFlag,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksRecover);
    const { from: since } = resolveRange({ since: flags.since }, Date.now());
    const client = this.connect(flags);
    if (flags['dry-run']) await noteReadOnlyKey(client, flags.json);
    const webhook = await client.webhooks.get(args.id);
    if (!webhook.isActive && !flags.json) {
      this.notice(
        `The webhook is not active and gets no new events. \`svc webhooks update ${webhook.id} --enable\` enables it.`,
      );
    }
    const plan = await planRecovery(client, webhook.id, since);
    const { replays } = plan;
    let done: Replayed | null = null;
    if (!flags['dry-run'] && replays.length > 0) {
      const what = replays.length === 1 ? 'one delivery' : `${replays.length} deliveries`;
      await confirm(`Replay ${what} to ${webhook.url}`, flags);
      setInterruptHint(REPEAT_HINT);
      const progress = startProgress(flags.json ? null : process.stderr);
      done = await replayAll(client, webhook.id, replays, {
        paceMs: 60_000 / flags['per-minute'],
        sleep: (ms) => setTimeout(ms),
        onProgress(count) {
          const parts = [{ text: `${count} of ${replays.length} replayed` }];
          progress.show((columns) => renderProgress(count / replays.length, parts, columns));
        },
      }).finally(() => progress.end());
    }
    const summary = toSummary({ webhookId: webhook.id, since, dryRun: flags['dry-run'] }, plan, done);
    const render = (paint: Paint) => renderRecovery(summary, plan, { width: terminalWidth(), paint });
    await printRecord(summary, { isJson: flags.json, fields: null, render });
    if (done !== null) process.exitCode = done.exitCode;
  }
}
