/** The production `resolve` and `dial` of `createOutbound`: DNS queries and sockets. */
import { lookup, Resolver } from 'node:dns/promises';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { addressOfHostname } from '@svc/domain/network/public-address';
import type { Dial, Resolve } from './outbound.ts';

export interface SystemResolveOptions {
  /** Addresses of name servers, such as `127.0.0.1:5353`. Default: the system's. */
  servers?: readonly string[];
  /**
   * Asks the operating system (hosts file, search domains) for names that the name servers do not know. Only for
   * operators who allowed private ranges: public names do not need it, and such look-ups cannot be cancelled. Default
   * false.
   */
  asksSystem?: boolean;
}

/** Timeout of one query to one server; the second query has twice the time. */
const QUESTION_TIMEOUT_MS = 2_000;
const QUESTIONS = 2;

/**
 * Resolves names by its own DNS queries. The operating system's resolver uses a few threads shared by the whole process
 * and cannot be cancelled, so one silent name server would delay all other names.
 */
export function createSystemResolve({ servers, asksSystem = false }: SystemResolveOptions = {}): Resolve {
  return async (host, signal) => {
    signal.throwIfAborted();
    const resolver = new Resolver({ timeout: QUESTION_TIMEOUT_MS, tries: QUESTIONS });
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
      const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      if (addresses.length > 0) return addresses;
      signal.throwIfAborted();
      if (asksSystem) return (await lookup(host, { all: true })).map(({ address }) => address);
      throw answers.map((answer) => (answer.status === 'rejected' ? answer.reason : undefined)).find(isUsefulError);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}

/** Prefers an error other than "no data", which a name with addresses of one kind has for the other kind. */
function isUsefulError(reason: unknown, index: number, reasons: readonly unknown[]): boolean {
  const isNoData = reason instanceof Error && 'code' in reason && reason.code === 'ENODATA';
  return !isNoData || index === reasons.length - 1;
}

/** Tries the addresses in order, starting the next one after a quarter of a second. */
export const systemDial: Dial = ({ addresses, port, host, isTls, signal }) =>
  new Promise<Socket>((resolve, reject) => {
    signal.throwIfAborted();
    const isLiteral = addressOfHostname(host) !== null;
    const [first] = addresses;
    const target = {
      port,
      host: isLiteral && first !== undefined ? first : host,
      autoSelectFamily: true,
      // Returns the checked addresses without resolving anything.
      lookup: (
        _host: string,
        _options: object,
        done: (error: null, found: { address: string; family: number }[]) => void,
      ) => done(null, addresses.map(toLookedUp)),
    };
    const socket = isTls ? connectTls({ ...target, ...(isLiteral ? {} : { servername: host }) }) : connectPlain(target);
    socket.once(isTls ? 'secureConnect' : 'connect', () => resolve(socket));
    socket.once('error', reject);
    signal.addEventListener('abort', () => socket.destroy(new Error('aborted')), { once: true });
  });

function toLookedUp(address: string): { address: string; family: 4 | 6 } {
  return { address, family: address.includes(':') ? 6 : 4 };
}
