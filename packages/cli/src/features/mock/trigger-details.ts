import { usageError } from '../../errors/cli-error.ts';
import { isRecord } from '../../format/fields.ts';
import type { TriggerBody } from './control.ts';

export interface DetailFlags {
  readonly connection?: number | undefined;
  readonly source?: number | undefined;
  readonly summary?: string | undefined;
  readonly data?: string | undefined;
}

/** What an event shall say; undefined where nothing was said. @throws CliError (exit 2) */
export function parseDetails({
  connection,
  source,
  summary,
  data,
}: DetailFlags): Omit<TriggerBody, 'type'> | undefined {
  const details = {
    ...(connection === undefined ? {} : { connectionId: connection }),
    ...(source === undefined ? {} : { sourceId: source }),
    ...(summary === undefined ? {} : { summary }),
    ...(data === undefined ? {} : { data: parseData(data) }),
  };
  return Object.keys(details).length === 0 ? undefined : details;
}

function parseData(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  if (isRecord(value)) return value;
  throw usageError('--data takes a JSON object', `For example: --data '{"reason":"tried out"}'`);
}
