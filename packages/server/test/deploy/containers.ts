/**
 * Runs services of `deploy/compose.yaml` with runc: user, capabilities, read-only root, tmpfs, networks and health check as
 * the file and the image say. Each network is a bridge without a way out of this machine, on which this machine has the first address.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, type RunResult } from '../../../../scripts/processes.ts';
import type { ComposeService } from './compose.ts';
import { type Image, must } from './image.ts';

export interface Container {
  /** Its address in a network. */
  address(network: string): string;
  output(): string;
  /** Runs a program in it, as its user. */
  exec(args: readonly string[]): Promise<RunResult>;
  /** Runs its health check. */
  checkHealth(): Promise<RunResult>;
  /** Lines of `/proc/PID/status` of its first process. */
  status(): Promise<Readonly<Record<string, string>>>;
  /** The exit code, once it has ended. */
  readonly ended: Promise<number | null>;
  /** Sends a signal and waits for the end. */
  stop(signal?: 'TERM' | 'KILL'): Promise<number | null>;
}

/** A service, or an image run without compose. */
export type Settings = Partial<ComposeService> & { volumes?: readonly { source: string; target: string }[] };

export interface Host {
  /**
   * @param options.input for its stdin. Default: empty
   * @param options.systemCalls the only ones that it may use. Default: all
   */
  run(
    settings: Settings,
    options?: { env?: Readonly<Record<string, string>>; input?: string; systemCalls?: readonly string[] },
  ): Promise<Container>;
  /** The address of this machine in a network. */
  gateway(network: string): string;
  close(): Promise<void>;
}

/** A subnet of 198.18.0.0/15, the range for network tests. Each network of a process has its own. */
let nextSubnet = process.pid % 250;

/**
 * @param networks their names
 * @param names hosts that are this machine, such as the database
 */
export async function startHost(image: Image, networks: readonly string[], names: readonly string[]): Promise<Host> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-containers-'));
  const tag = randomBytes(2).toString('hex');
  const subnets = new Map(networks.map((network) => [network, nextSubnet++ % 250]));
  const prefix = (network: string) => `198.18.${subnets.get(network)}`;
  const bridge = (network: string) => `svc${tag}b${networks.indexOf(network)}`;
  const started: { name: string; container: Container }[] = [];
  for (const network of networks) {
    // Without an address of its own a bridge takes that of a new port, and loses its connections.
    const address = `02:00:${randomBytes(4)
      .toString('hex')
      .replace(/(..)(?=.)/g, '$1:')}`;
    await must('ip', ['link', 'add', bridge(network), 'address', address, 'type', 'bridge']);
    await must('ip', ['address', 'add', `${prefix(network)}.1/24`, 'dev', bridge(network)]);
    await must('ip', ['link', 'set', bridge(network), 'up']);
  }
  const gateway = (network: string) => `${prefix(network)}.1`;
  const runc = ['--root', join(folder, 'runc')];

  async function plug(name: string, index: number, network: string, port: number): Promise<void> {
    const [outer, inner] = [`${name}v${port}`, `${name}i${port}`];
    await must('ip', ['link', 'add', outer, 'type', 'veth', 'peer', 'name', inner]);
    await must('ip', ['link', 'set', inner, 'netns', name, 'name', `eth${port}`]);
    await must('ip', ['link', 'set', outer, 'master', bridge(network), 'up']);
    await must('ip', ['-n', name, 'address', 'add', `${prefix(network)}.${index + 10}/24`, 'dev', `eth${port}`]);
    await must('ip', ['-n', name, 'link', 'set', `eth${port}`, 'up']);
  }

  return {
    gateway,
    async run(settings, { env: given = {}, input = '', systemCalls } = {}) {
      const index = started.length;
      const name = `s${tag}${index}`;
      const its = settings.networks ?? [];
      await must('ip', ['netns', 'add', name]);
      await must('ip', ['-n', name, 'link', 'set', 'lo', 'up']);
      for (const [port, network] of its.entries()) await plug(name, index, network, port);
      const bundle = join(folder, name);
      mkdirSync(bundle);
      const [network = ''] = its;
      const hosts = [`127.0.0.1 localhost`, ...names.map((host) => `${gateway(network)} ${host}`)];
      writeFileSync(join(bundle, 'hosts'), `${hosts.join('\n')}\n`, { mode: 0o644 });
      const config = toRuntimeConfig(image, settings, { name, given, hosts: join(bundle, 'hosts'), systemCalls });
      writeFileSync(join(bundle, 'config.json'), JSON.stringify(config));
      const child = spawn('runc', [...runc, 'run', '--bundle', bundle, name], { stdio: 'pipe' });
      child.stdin.on('error', () => {}).end(input);
      const container = watch(child, {
        exec: (args) => run('runc', [...runc, 'exec', name, ...args]),
        kill: (signal) => run('runc', [...runc, 'kill', name, signal]),
        state: () => run('runc', [...runc, 'state', name]),
        healthcheck: (settings.healthcheck?.test ?? image.config.Healthcheck.Test).slice(1),
        address: (of) => `${prefix(of)}.${index + 10}`,
      });
      started.push({ name, container });
      return container;
    },
    async close() {
      for (const { container } of started) await container.stop('KILL');
      for (const { name } of started) await run('ip', ['netns', 'delete', name]);
      for (const network of networks) await run('ip', ['link', 'delete', bridge(network)]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function watch(
  child: ChildProcess,
  its: {
    exec: Container['exec'];
    kill: (signal: string) => Promise<RunResult>;
    state: () => Promise<RunResult>;
    healthcheck: readonly string[];
    address: Container['address'];
  },
): Container {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    address: its.address,
    output: () => output,
    exec: its.exec,
    checkHealth: () => its.exec(its.healthcheck),
    async status() {
      const { pid }: { pid: number } = JSON.parse((await its.state()).stdout);
      const lines = readFileSync(`/proc/${pid}/status`, 'utf8').split('\n');
      return Object.fromEntries(lines.map((line) => line.split(/:\s*/) as [string, string]));
    },
    ended,
    async stop(signal = 'TERM') {
      if (child.exitCode === null) await its.kill(signal);
      return ended;
    },
  };
}

/** What Docker and Podman leave a container that drops nothing. */
const DEFAULT_CAPABILITIES = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID', 'NET_BIND_SERVICE', 'KILL'];
const MASKED = ['/proc/acpi', '/proc/kcore', '/proc/keys', '/proc/timer_list', '/sys/firmware', '/proc/scsi'];

/** The configuration of the OCI runtime: that of `docker run` with these settings. */
function toRuntimeConfig(
  { rootfs, config }: Image,
  settings: Settings,
  {
    name,
    given,
    hosts,
    systemCalls,
  }: {
    name: string;
    given: Readonly<Record<string, string>>;
    hosts: string;
    systemCalls: readonly string[] | undefined;
  },
) {
  const [uid = 0, gid = 0] = config.User.split(':').map(Number);
  const dropsAll = settings.cap_drop?.includes('ALL') === true;
  const capabilities = dropsAll ? [] : DEFAULT_CAPABILITIES.map((capability) => `CAP_${capability}`);
  const env = { ...given, ...settings.environment };
  const base = (options: string[]) => ['nosuid', ...options];
  const tmpfs = (settings.tmpfs ?? []).map((text) => {
    const [destination = '', options = ''] = text.split(':');
    return { destination, type: 'tmpfs', source: 'tmpfs', options: base(['nodev', ...options.split(',')]) };
  });
  const binds = [{ source: hosts, target: '/etc/hosts', mode: 'ro' }, ...(settings.volumes ?? [])].map((bind) => ({
    ...{ destination: bind.target, type: 'bind', source: bind.source },
    options: ['bind', 'mode' in bind ? 'ro' : 'rw'],
  }));
  return {
    ociVersion: '1.0.2',
    hostname: name,
    root: { path: rootfs, readonly: settings.read_only === true },
    process: {
      user: { uid, gid },
      args: [...config.Entrypoint, ...(settings.command ?? config.Cmd)],
      env: [...config.Env, ...Object.entries(env).map(([key, value]) => `${key}=${value}`)],
      cwd: config.WorkingDir === '' ? '/' : config.WorkingDir,
      capabilities: { bounding: capabilities, effective: [], permitted: [], inheritable: [] },
      noNewPrivileges: settings.security_opt?.includes('no-new-privileges:true') === true,
    },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc', options: base(['noexec', 'nodev']) },
      { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: base(['mode=755', 'size=65536k']) },
      { destination: '/dev/shm', type: 'tmpfs', source: 'shm', options: base(['nodev', 'mode=1777', 'size=64m']) },
      { destination: '/sys', type: 'sysfs', source: 'sysfs', options: base(['noexec', 'nodev', 'ro']) },
      ...tmpfs,
      ...binds,
    ],
    linux: {
      namespaces: [
        ...['pid', 'ipc', 'uts', 'mount'].map((type) => ({ type })),
        { type: 'network', path: `/run/netns/${name}` },
      ],
      ...(systemCalls === undefined ? {} : { seccomp: seccompOf(systemCalls) }),
      maskedPaths: MASKED,
      readonlyPaths: ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'],
    },
  };
}

/** Other calls fail with EPERM. */
function seccompOf(names: readonly string[]): object {
  const architectures = ['SCMP_ARCH_X86_64', 'SCMP_ARCH_AARCH64'];
  const syscalls = [{ names, action: 'SCMP_ACT_ALLOW' }];
  return { defaultAction: 'SCMP_ACT_ERRNO', defaultErrnoRet: 1, architectures, syscalls };
}
