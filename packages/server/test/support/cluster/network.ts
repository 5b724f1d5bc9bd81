/**
 * Hosts of a test: network namespaces of this machine, joined by a bridge, so that a link can be down. Needs root and iproute2; without
 * them all hosts are loopback, and links cannot be cut.
 */
import { type ChildProcess, spawn, type SpawnOptions, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';

export interface Host {
  readonly name: string;
  /** Its address for the other hosts and for the test. */
  readonly address: string;
  spawn(program: string, args: readonly string[], options?: SpawnOptions): ChildProcess;
  /** Cuts or joins its link to all others. Throws without namespaces. */
  setLink(isUp: boolean): void;
}

export interface Network {
  /** Whether hosts are namespaces, whose links can be cut. */
  readonly hasLinks: boolean;
  /** The address of the test's own servers for the hosts. */
  readonly address: string;
  /** Addresses of all hosts, as a CIDR. */
  readonly cidr: string;
  addHost(name: string): Host;
  /** Removes the namespaces. Their processes must have ended. */
  close(): void;
}

/** Returns whether this process may make network namespaces. */
export function hasNamespaces(): boolean {
  return process.getuid?.() === 0 && spawnSync('ip', ['netns', 'list']).status === 0 && existsSync('/usr/bin/nsenter');
}

let networks = 0;

/** @param options.isLoopback makes all hosts loopback although namespaces are possible */
export function createNetwork({ isLoopback = false } = {}): Network {
  if (isLoopback || !hasNamespaces()) {
    const host = (name: string): Host => ({
      name,
      address: '127.0.0.1',
      spawn: (program, args, options = {}) => spawn(program, [...args], options),
      setLink: () => {
        throw new Error('without network namespaces there are no links');
      },
    });
    return { hasLinks: false, address: '127.0.0.1', cidr: '127.0.0.0/8', addHost: host, close: () => {} };
  }
  removeLeftNamespaces();
  networks += 1;
  const id = `${process.pid}n${networks}`;
  const bridge = `svb${id}`;
  const subnet = freeSubnet();
  ip(
    `link add ${bridge} type bridge forward_delay 0`,
    `addr add ${subnet}.1/24 dev ${bridge}`,
    `link set ${bridge} up`,
  );
  const namespaces: string[] = [];
  const close = () => {
    process.off('exit', close);
    for (const namespace of namespaces.splice(0)) spawnSync('ip', ['netns', 'del', namespace]);
    spawnSync('ip', ['link', 'del', bridge]);
  };
  // Vitest's teardown does not run when the run is interrupted; 'exit' does.
  process.on('exit', close);
  return {
    hasLinks: true,
    address: `${subnet}.1`,
    cidr: `${subnet}.0/24`,
    addHost(name) {
      const number = namespaces.length + 11;
      const namespace = `svc${id}-${name}`;
      const port = `sv${id}h${number}`;
      ip(
        `netns add ${namespace}`,
        `link add ${port} type veth peer name eth0 netns ${namespace}`,
        `link set ${port} master ${bridge} up`,
      );
      namespaces.push(namespace);
      const address = `${subnet}.${number}`;
      const inside = ['link set lo up', `addr add ${address}/24 dev eth0`, 'link set eth0 up'];
      for (const command of inside) ip(`-n ${namespace} ${command}`);
      return {
        name,
        address,
        // nsenter executes the program, so the child is the program itself.
        spawn: (program, args, options = {}) =>
          spawn('nsenter', [`--net=/run/netns/${namespace}`, '--', program, ...args], options),
        setLink: (isUp) => ip(`link set ${port} ${isUp ? 'up' : 'down'}`),
      };
    },
    close,
  };
}

function ip(...commands: string[]): void {
  for (const command of commands) {
    const { status, stderr } = spawnSync('ip', command.split(' '), { encoding: 'utf8' });
    if (status !== 0) throw new Error(`ip ${command}: ${stderr}`);
  }
}

function freeSubnet(): string {
  const used = spawnSync('ip', ['-o', 'addr'], { encoding: 'utf8' }).stdout;
  for (let number = process.pid % 200; ; number = (number + 1) % 250) {
    if (!used.includes(`10.231.${number}.`)) return `10.231.${number}`;
  }
}

/** A killed test leaves its namespaces; the name has the id of its process. */
function removeLeftNamespaces(): void {
  const namespaces = existsSync('/run/netns') ? readdirSync('/run/netns') : [];
  for (const namespace of namespaces) {
    const pid = /^svc(\d+)n\d+-/.exec(namespace)?.[1];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) spawnSync('ip', ['netns', 'del', namespace]);
  }
}
