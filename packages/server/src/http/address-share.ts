/**
 * How many of the open connections one address may have, so that a client that opens many and sends nothing does not lock
 * everybody else out.
 *
 * The addresses of trusted proxies are excluded: their connections are those of many clients, and they limit these themselves
 * (`deploy/nginx`). A number of proxies as `SVC_TRUST_PROXY` says that every connection comes from one.
 */
import type { Server } from 'node:net';
import { toClientNetwork } from '@svc/domain/requests/rate-limit';
import ipaddr from 'ipaddr.js';

export interface AddressShare {
  /** Connections of one address, at most. An IPv6 network of 64 bits counts as one address. */
  readonly max: number;
  readonly trustProxy: false | number | readonly string[];
}

/** Closes connections above the share of their address at once. */
export function limitAddresses(server: Server, { max, trustProxy }: AddressShare): void {
  if (typeof trustProxy === 'number' && trustProxy > 0) return;
  const proxies = typeof trustProxy === 'object' ? trustProxy.map(toRange) : [];
  const isProxy = (address: string) => proxies.some((range) => isWithin(ipaddr.process(address), range));
  const counts = new Map<string, number>();
  server.on('connection', (socket) => {
    const { remoteAddress: address } = socket;
    // It has ended already.
    if (address === undefined || isProxy(address)) return;
    const network = toClientNetwork(address);
    const count = counts.get(network) ?? 0;
    if (count >= max) {
      socket.destroy();
      return;
    }
    counts.set(network, count + 1);
    socket.once('close', () => {
      const left = (counts.get(network) ?? 1) - 1;
      if (left === 0) counts.delete(network);
      else counts.set(network, left);
    });
  });
}

type Address = ReturnType<typeof ipaddr.parse>;
type Range = readonly [Address, number];

function toRange(text: string): Range {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

function isWithin(address: Address, [network, bits]: Range): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}
