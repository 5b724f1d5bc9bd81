import type { InboundEvent } from '@svc/sequencers';
import type { CrmWrite } from '../../src/port/types.ts';
import { inboundEvent } from './inbound-event.ts';
import { type Deciders, planOf } from './plan.ts';

export type WriteChanges = Partial<CrmWrite> & Deciders;

export function toWrite(changes: Partial<InboundEvent> = {}, { source, policy, ...rest }: WriteChanges = {}): CrmWrite {
  const event = inboundEvent(changes);
  return {
    plan: planOf(event, { source: { salesforceObjectType: 'Contact', ...source }, policy }),
    event,
    idempotencyKey: '12:k1',
    receivedAt: new Date('2026-03-01T11:00:00.000Z'),
    fields: [],
    lastValues: null,
    isRepeated: false,
    ...rest,
  };
}

/** Changes of an event that make it about another person. */
export function about(name: string): Pick<InboundEvent, 'toEmail' | 'contact'> {
  const email = `${name}@fjord.example.org`;
  return { toEmail: email, contact: { ...inboundEvent().contact, email, firstName: name } };
}
