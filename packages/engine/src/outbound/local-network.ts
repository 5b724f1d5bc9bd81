/** Network access for a served world: its hosts and tokens are made up, so only this machine is called. */
import { isLoopbackAddress, isLoopbackHost } from '@svc/domain/network/loopback';
import { isLoopbackUrl } from '../config/public-urls.ts';
import type { Dial, Resolve } from './outbound.ts';
import { systemDial } from './system-network.ts';

const REFUSAL = 'start --world calls only this machine';

/** Resolves only loopback names, because a DNS query would leave the machine too. */
export const localResolve: Resolve = async (host) => {
  if (!isLoopbackHost(host)) throw new Error(REFUSAL);
  return ['127.0.0.1'];
};

export const localDial: Dial = async (target) => {
  if (!target.addresses.every(isLoopbackAddress)) throw new Error(REFUSAL);
  return systemDial(target);
};

export const localFetch: typeof globalThis.fetch = async (input, init) => {
  const url = input instanceof Request ? input.url : String(input);
  // Connectors show only an error's code, so the refusal is set as the code.
  if (!isLoopbackUrl(url))
    throw new TypeError(REFUSAL, { cause: Object.assign(new Error(REFUSAL), { code: REFUSAL }) });
  return fetch(input, init);
};
