/** Calls to others that a job only makes while it has its lease (`queue/leases.ts`). Calls outside of jobs are made at once. */
import type { MailSender } from '../outbound/mail-sender.ts';
import type { Outbound } from '../outbound/outbound.ts';
import { confirmLease, lostLeaseSignal } from '../queue/leases.ts';

type Fetch = typeof globalThis.fetch;

export function fetchOfJobs(fetch: Fetch): Fetch {
  return async (input, init) => {
    await confirmLease();
    const signals = [lostLeaseSignal(), init?.signal].filter((signal) => signal instanceof AbortSignal);
    return fetch(input, signals.length === 0 ? init : { ...init, signal: AbortSignal.any(signals) });
  };
}

export function outboundOfJobs(outbound: Outbound): Outbound {
  return {
    ...outbound,
    fetch: fetchOfJobs(outbound.fetch),
    async post(call) {
      await confirmLease();
      return outbound.post(call);
    },
  };
}

export function mailOfJobs(sender: MailSender): MailSender {
  return {
    ...sender,
    async send(mail) {
      await confirmLease();
      return sender.send(mail);
    },
  };
}
