/** Calls to others that a job only makes while it has its lease (`queue/leases.ts`). Calls outside of jobs are made at once. */
import { forwardAbort } from '@svc/domain/network/forward-abort';
import type { MailSender } from '@svc/engine/outbound/mail-sender';
import type { Outbound } from '@svc/engine/outbound/outbound';
import { confirmLease, lostLeaseSignal } from '@svc/engine/queue/leases';

type Fetch = typeof globalThis.fetch;

export function fetchOfJobs(fetch: Fetch): Fetch {
  return async (input, init) => {
    await confirmLease();
    const lost = lostLeaseSignal();
    if (lost === undefined) return fetch(input, init);
    const call = new AbortController();
    // The signal stays linked until the answer is read, so it needs no end: the caller's signal is of this call alone.
    forwardAbort(call, [init?.signal ?? undefined]);
    const endJob = forwardAbort(call, [lost]);
    try {
      return await fetch(input, { ...init, signal: call.signal });
    } finally {
      endJob();
    }
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
