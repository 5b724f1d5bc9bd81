/** Customers' hosts of the differential tests. A failing host always fails in the same way; all others answer 200. */
import type { ReceiverAnswer } from './receivers.ts';

export const FAILING_HOST_ANSWERS: Readonly<Record<string, ReceiverAnswer>> = {
  'down.example.com': 503,
  'gone.example.com': 404,
  'large.example.com': 413,
  'moved.example.com': { status: 302, location: 'https://hooks.example.com/' },
  'broken.example.com': 'reset',
};

/** Hosts that answer 200, as in the `Host` header. Requests to them are compared. */
export const ANSWERING_HOSTS: readonly string[] = [
  'hooks.example.com',
  'hooks.example.com:8443',
  'plain.example.com',
  '93.184.215.14',
  '[2606:4700::1111]',
];

export const FAILING_HOSTS: readonly string[] = Object.keys(FAILING_HOST_ANSWERS);
