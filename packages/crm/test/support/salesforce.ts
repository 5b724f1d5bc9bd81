import type { InboundEvent } from '@svc/sequencers';
import type { CrmSourceConfig, CrmWrite } from '../../src/port/types.ts';
import { inboundEvent } from './inbound-event.ts';
import { PLAIN_SOURCE } from './source-config.ts';

export type WriteChanges = Partial<Omit<CrmWrite, 'source'>> & { source?: Partial<CrmSourceConfig> };

export function toWrite(changes: Partial<InboundEvent> = {}, { source, ...rest }: WriteChanges = {}): CrmWrite {
  return {
    source: { ...PLAIN_SOURCE, salesforceObjectType: 'Contact', ...source },
    event: inboundEvent(changes),
    idempotencyKey: '12:k1',
    receivedAt: new Date('2026-03-01T11:00:00.000Z'),
    isRepeated: false,
    ...rest,
  };
}

/** Changes of an event that make it about another person. */
export function about(name: string): Pick<InboundEvent, 'toEmail' | 'contact'> {
  const email = `${name}@fjord.example.org`;
  return { toEmail: email, contact: { ...inboundEvent().contact, email, firstName: name } };
}
