import * as z from 'zod';
import { PROFILE_URLS_MAX } from '@svc/contract/limits';
import { ToolError } from '../answers/errors.ts';
import { findNewest, type Matches } from './search.ts';
import { defineTool, READS, resolveRange, sinceSchema } from './tool.ts';

const ROWS_OF_PERSON_MAX = 20;

export const personTool = defineTool({
  name: 'svc_person',
  title: 'What is known of a person',
  description:
    'Shows past outreach to a person, whether they may be contacted, and, for an email address, its newest syncs and deliveries. Default since: 30d.',
  input: z.strictObject({
    email: z.string().min(1).max(254).optional(),
    profileUrls: z
      .array(z.string().min(1).max(2048))
      .min(1)
      .max(PROFILE_URLS_MAX)
      .optional()
      .describe('Social profiles'),
    since: sinceSchema.optional(),
  }),
  hints: READS,
  async run({ email, profileUrls, since }, { client, now, options }) {
    if (email === undefined && profileUrls === undefined) throw new ToolError('Pass email or profileUrls.');
    const range = resolveRange({ since }, now(), '30d');
    const isOfPerson = ({ toEmail }: { readonly toEmail: string | null }): boolean =>
      toEmail?.toLowerCase() === email?.toLowerCase();
    const none: Matches<never> = { rows: [], isIncomplete: false };
    const [outreach, syncs, deliveries] = await Promise.all([
      client.contacts.outreach({ email, profileUrls }, options),
      email === undefined
        ? none
        : findNewest((pageSize) => client.syncs.list({ ...range, pageSize }, options), isOfPerson, ROWS_OF_PERSON_MAX),
      email === undefined
        ? none
        : findNewest(
            (pageSize) => client.deliveries.list({ ...range, pageSize }, options),
            isOfPerson,
            ROWS_OF_PERSON_MAX,
          ),
    ]);
    const gaps = [
      ...(syncs.isIncomplete ? ['older syncs were not read'] : []),
      ...(deliveries.isIncomplete ? ['older deliveries were not read'] : []),
    ];
    return {
      source: 'person',
      summary: `Syncs since ${range.from}: ${syncs.rows.length}, deliveries: ${deliveries.rows.length}.${gaps.length === 0 ? '' : ` Gaps: ${gaps.join(', ')}.`}`,
      record: { outreach, syncs: syncs.rows, deliveries: deliveries.rows, gaps },
    };
  },
});
