import { paintFor } from '../../../terminal/colors.ts';
import { pickFields } from '../../../format/fields.ts';
import { type ForwardedEvent, forwardedLine } from './forwarded-event.ts';
import { canRedraw, clearProgress, noteInProgress, type Progress, startProgress } from '../../../terminal/progress.ts';
import { printNote, printNotice, writeStderr } from '../../../terminal/stderr.ts';
import { writeRendered, writeStdout } from '../../../terminal/stdout.ts';

/** The output of `webhooks listen`. */
export interface ListenOutput {
  /** Called at the start. */
  opened(listening: Listening): void;
  event(forwarded: ForwardedEvent): Promise<void>;
  /** Prints a note about the service or the local server. */
  note(text: string): void;
  /** Prints why the service is asked again after a wait. */
  retry(text: string, waitMs: number): void;
  /** Sets the line at the bottom of a terminal. */
  status(text: string): void;
  close(): void;
}

export interface Listening {
  readonly forwardTo: string;
  /** The secret if it was created for this run, else null. */
  readonly secret: string | null;
  /** Id of the temporary webhook. */
  readonly webhookId: string | null;
}

/**
 * Prints events on stdout, as text in a terminal and as JSON elsewhere. With `--json`, stderr is JSON too.
 */
export function openListenOutput(isJson: boolean, fields: readonly string[] | null): ListenOutput {
  const isRows = isJson || fields !== null || !process.stdout.isTTY;
  const paint = paintFor(process.stdout);
  const progress: Progress = startProgress(isJson ? null : process.stderr);
  let status = '';
  return {
    opened(listening) {
      if (isJson) writeStderr(`${JSON.stringify({ listening })}\n`);
      else for (const line of openedLines(listening)) printNotice(line);
    },
    async event(forwarded) {
      clearProgress();
      const picked = fields === null ? forwarded : pickFields(forwarded, fields);
      await (isRows
        ? writeStdout(`${JSON.stringify(picked)}\n`)
        : writeRendered(forwardedLine(forwarded, paint, new Date())));
      if (status !== '') progress.show(status);
    },
    note: (text) => printNote(text, isJson),
    retry(text, waitMs) {
      if (isJson || !canRedraw(process.stderr)) return printNote(`${text}. Retrying in ${waitMs / 1000} s`, isJson);
      printNotice(`${text}.`);
      noteInProgress({ label: 'retrying in', waitMs, isRateLimit: false });
    },
    status(text) {
      status = text;
      progress.show(text);
    },
    close: () => progress.end(),
  };
}

function openedLines({ forwardTo, secret, webhookId }: Listening): string[] {
  return [
    `Events go to ${forwardTo}.`,
    ...(secret === null ? [] : [`Signing secret for this run: ${secret}`]),
    ...(webhookId === null
      ? []
      : [`Webhook ${webhookId} is removed at the end; after SIGKILL, run: svc webhooks delete ${webhookId} --yes`]),
  ];
}
