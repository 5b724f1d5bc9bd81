/** Compares the mails of reply relays that both sides sent. */
import type { WorldInput } from '@svc/domain/world';
import type { ReceivedMail } from '../harness/targets/mails.ts';
import type { Side } from '../harness/targets/mock-and-server.ts';

/**
 * Returns the mails that only one side sent, in any order. Ids of events differ, and with them the template of a relay that has
 * several, so both are left out.
 */
export function compareMails(
  mails: Readonly<Record<Side, readonly ReceivedMail[]>>,
  relays: WorldInput['replyRelays'],
): readonly string[] {
  const several = new Set(relays.filter(({ bodyTemplates }) => bodyTemplates.length > 1).map(({ id }) => String(id)));
  const describe = ({ messageId, relay, text, ...rest }: ReceivedMail): string => {
    const [relayId = ''] = relay.split('/');
    const ownId = messageId.replace(/^(<svc-relay\.\d+)\.\d+\./, '$1.EVENT.');
    return JSON.stringify({ relayId, ownId, ...rest, text: several.has(relayId) ? 'one of several' : text });
  };
  const left = mails.server.map(describe);
  for (const each of mails.mock.map(describe)) {
    const at = left.indexOf(each);
    if (at < 0)
      return [`mailed by the mock alone: ${each.slice(0, 900)} | the server: ${left.join(' | ').slice(0, 900)}`];
    left.splice(at, 1);
  }
  return left.map((each) => `mailed by the server alone: ${each.slice(0, 900)}`);
}
