/** The seams of `createOutbound` as they are in production: the system's name servers and sockets. */
import { lookup, Resolver } from 'node:dns/promises';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { addressOfHostname } from '@svc/domain/network/public-address';
import type { Dial, Resolve } from './outbound.ts';

export interface SystemResolveOptions {
  /** Addresses of name servers, `127.0.0.1:5353`. Default: the system's. */
  servers?: readonly string[];
  /**
   * Asks the operating system (its hosts file, its search domains) for names that the name servers do not know. Only where
   * the operator has opened ranges of its own: public names need none of it, and its look-ups cannot be ended. Default false.
   */
  asksSystem?: boolean;
}

/** Of one question to one server; a second one has twice the time. */
const QUESTION_TIMEOUT_MS = 2_000;
const QUESTIONS = 2;

/**
 * Looks names up by questions of our own. The operating system's look-up has a handful of threads that the whole process
 * shares and no way to end it, so that one name server that never answers would hold up every other name.
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
      throw answers.map((answer) => (answer.status === 'rejected' ? answer.reason : undefined)).find(isTelling);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}

/** A name with addresses of the one kind only has "no data" for the other. */
function isTelling(reason: unknown, index: number, reasons: readonly unknown[]): boolean {
  const isNoData = reason instanceof Error && 'code' in reason && reason.code === 'ENODATA';
  return !isNoData || index === reasons.length - 1;
}

/** Tries the addresses in turn, a quarter of a second each before the next one. */
export const systemDial: Dial = ({ addresses, port, host, isTls, signal }) =>
  new Promise<Socket>((resolve, reject) => {
    signal.throwIfAborted();
    const isLiteral = addressOfHostname(host) !== null;
    const [first] = addresses;
    const target = {
      port,
      host: isLiteral && first !== undefined ? first : host,
      autoSelectFamily: true,
      // Only what the guard has judged; nothing is looked up here.
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
