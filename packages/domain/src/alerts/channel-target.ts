/** What a channel's URL must be, beyond what holds for every URL that customers choose (`webhook-url.ts`). */
import type { ChannelKind } from './alert.ts';

/** Connectors of Microsoft 365, which Microsoft has switched off. */
const RETIRED_TEAMS = /(?:^|\.)webhook\.office\.com$|^outlook\.office(?:365)?\.com$/i;

/** Returns why the channel cannot use this URL; null when it can. Slack's form is also taken by other chats, at any host. */
export function findChannelUrlProblem(kind: ChannelKind, url: string): string | null {
  if (kind === 'teams' && RETIRED_TEAMS.test(new URL(url).hostname)) {
    return 'this is a connector of Microsoft 365, which Microsoft has switched off: make a workflow with the trigger "When a Teams webhook request is received" and use its URL';
  }
  return null;
}
