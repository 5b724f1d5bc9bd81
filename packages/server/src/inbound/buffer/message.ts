/**
 * A post as a message of the ingest buffer: one line of JSON, then the received bytes.
 *
 * During a rolling update two releases share the queue. A release therefore writes a version that the release before it reads, and
 * reads every version that a queue may still hold. Fields that an older consumer may ignore can be added without a new version.
 */
import * as z from 'zod';
import type { InboundPost } from '../receive.ts';

/** A post with what was given to it when it was received. */
export interface BufferedPost extends InboundPost {
  /** The id of the receipt, which makes a message that arrives twice one receipt. */
  id: number;
  receivedAt: Date;
  /** The trace that the post belongs to. */
  traceparent?: string | undefined;
}

/** `type` of the messages in AMQP, for people who look at the queue. */
export const MESSAGE_TYPE = 'svc.inbound-post';

const VERSION = 1;
const NEWLINE = 10;

const headSchema = z.object({
  version: z.literal(VERSION),
  id: z.int().positive(),
  path: z.string().min(1),
  receivedAt: z.iso.datetime().transform((text) => new Date(text)),
  headers: z.record(z.string(), z.string()),
  traceparent: z.string().optional(),
});

export function encodePost({ receivedAt, body, ...given }: BufferedPost): Buffer {
  const head: z.input<typeof headSchema> = { version: VERSION, ...given, receivedAt: receivedAt.toISOString() };
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body]);
}

/** Returns null for a message that is no post, or one of a version that this release does not know. */
export function decodePost(content: Buffer): BufferedPost | null {
  const end = content.indexOf(NEWLINE);
  const head = headSchema.safeParse(parseJson(content.toString('utf8', 0, Math.max(0, end))));
  if (end < 0 || !head.success) return null;
  const { version: _version, ...given } = head.data;
  return { ...given, body: content.subarray(end + 1) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
