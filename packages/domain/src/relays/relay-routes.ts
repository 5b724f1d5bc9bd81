/**
 * To whom a reply relay mails a reply: the first of its routes that gives an address, else its fixed address.
 *
 * - `crm-owner`: the user of the CRM who owns the contact when the mail is sent first.
 * - `policy-owner`: the user whom the owner table of the source's write policy names. The policy's fallback does not count: the relay has its own.
 * - `campaigns`: an address for each campaign.
 */
import * as z from 'zod';
import { matchesCampaign } from '../policy/plan-write.ts';

export const RELAY_ROUTES_MAX = 3;
export const RELAY_CAMPAIGNS_MAX = 500;

const campaignEntry = z.strictObject({
  // YAML reads an id without quotes as a number.
  campaign: z
    .union([z.string(), z.number()], 'must be the name or id of a campaign')
    .transform((given) => String(given).trim())
    .pipe(z.string().min(1, 'must not be empty').max(200, 'must be at most 200 characters long')),
  to: z.email('must be an email address such as kim@example.com').max(254),
});

const relayRoute = z.union(
  [
    z.enum(['crm-owner', 'policy-owner']),
    z.strictObject({
      campaigns: z.array(campaignEntry).min(1, 'must have at least one entry').max(RELAY_CAMPAIGNS_MAX),
    }),
  ],
  'must be crm-owner, policy-owner, or {campaigns: [{campaign: ..., to: ...}]}',
);
export type RelayRoute = z.infer<typeof relayRoute>;

/** The routes of a relay, in their order. */
export const relayRoutes = z
  .array(relayRoute, 'must be a list of routes')
  .min(1, 'must have at least one route')
  .max(RELAY_ROUTES_MAX, `must have at most ${RELAY_ROUTES_MAX} routes`)
  .refine((routes) => new Set(routes.map(routeName)).size === routes.length, 'names a route twice');

/** What chose the recipient of a mail. */
export const RECIPIENT_ROUTES = ['fixed', 'crm-owner', 'policy-owner', 'campaigns'] as const;
export type RecipientRoute = (typeof RECIPIENT_ROUTES)[number];

export function routeName(route: RelayRoute): Exclude<RecipientRoute, 'fixed'> {
  return typeof route === 'string' ? route : 'campaigns';
}

export interface RelayRecipient {
  readonly address: string;
  readonly route: RecipientRoute;
  /** Why an earlier route could not be asked; null when all could. */
  readonly note: string | null;
}

/** Returns the address of the first entry that fits the campaign by name or id; null when none does. */
export function addressOfCampaign(
  { campaigns }: Exclude<RelayRoute, string>,
  campaign: { readonly id: string | null; readonly name: string | null },
): string | null {
  return campaigns.find((entry) => matchesCampaign(entry.campaign, campaign))?.to ?? null;
}

/** For how long after a mail is due a CRM that does not work is asked again: as long as a mail server is. */
const ASKED_MS = 2 * 60 * 60_000;
const FIRST_WAIT_MS = 60_000;

/** Returns when a CRM that could not be asked is asked again; null when the other routes decide instead. */
export function nextOwnerRead({ dueAt, now }: { dueAt: Date; now: Date }): Date | null {
  const waitedMs = Math.max(0, now.getTime() - dueAt.getTime());
  if (waitedMs >= ASKED_MS) return null;
  // Each wait is about as long as all before it.
  const waitMs = Math.max(FIRST_WAIT_MS, waitedMs);
  return new Date(Math.min(now.getTime() + waitMs, dueAt.getTime() + ASKED_MS));
}
