/** The secret part of a channel: the URL that alerts are posted to, and what signs them. */
import * as z from 'zod';
import { openSecret } from '../secrets/open-secret.ts';
import type { Context } from '../context.ts';

const schema = z.object({ url: z.string(), signingSecret: z.string().nullable() });
export type ChannelTarget = z.infer<typeof schema>;

export function writeTarget(target: ChannelTarget): string {
  return JSON.stringify(target);
}

/** Returns the target of a channel; null when it cannot be decrypted. */
export function openTarget(
  ctx: Pick<Context, 'secrets' | 'log'>,
  { id, sealedTarget }: { id: number; sealedTarget: string | null },
): ChannelTarget | null {
  const text = sealedTarget === null ? null : openSecret(ctx, sealedTarget, { kind: 'alert channel', id });
  return text === null ? null : schema.parse(JSON.parse(text));
}
