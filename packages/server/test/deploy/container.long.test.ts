/**
 * The container images and `deploy/compose.yaml`, built and run as `deploy/README.md` says: with a base of Debian's packages, by runc, against a real
 * PostgreSQL. The CRM is a simulator on this machine.
 */
import { createHash } from 'node:crypto';
import { chownSync, globSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { INBOUND_PATHS, readDemoPayloads } from '../../../../scripts/demo-payloads.ts';
import { root, run } from '../../../../scripts/processes.ts';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/vitest/database.ts';
import { getJson, type Process, startSimulatorProcess } from '../support/processes.ts';
import { type ComposeFile, DEPLOY, parseEnvFile, readCompose } from './compose.ts';
import { type Container, type Host, startHost } from './containers.ts';
import { type Image, type Images, must, prepareImages } from './image.ts';
import { findLacking } from './programs.ts';
import { allowedSystemCalls } from './systemd.ts';

const LIMIT_BYTES = 160_000_000;
const USER = 65_532;
/** The API limits requests per minute. */
const WITHIN_A_MINUTE = { timeout: 60_000, interval: 1_000 };
const lacking = findLacking('container', ['mmdebstrap', 'strip', 'buildah', 'runc', 'ip', 'systemd-analyze'], {
  asRoot: true,
});
const databaseUrl = inject('databaseUrl');
const payloads = readDemoPayloads();
const eventCount = payloads.reduce((sum, payload) => sum + payload.eventCount, 0);

const PYTEST = ['-m', 'pytest', '-p', 'no:cacheprovider'];
const hasPytest = (await run('python3', [...PYTEST, '--version'])).code === 0;

let images: Images;
let image: Image;
let filesBefore: readonly string[];
const closes: (() => unknown)[] = [];

beforeAll(async () => {
  if (!lacking) images = await prepareImages();
}, 180_000);
afterAll(async () => {
  for (const close of closes.toReversed()) await close();
  images?.remove();
});

describe.skipIf(lacking || databaseUrl === null)('the container image', () => {
  beforeAll(async () => {
    image = await images.build('server');
    filesBefore = await listFiles(image.rootfs);
  }, 180_000);

  test('is smaller than 160 MB, compressed as a registry stores it, and unpacked', async () => {
    const compressedBytes = await image.countCompressedBytes();
    console.log(`image: ${compressedBytes} bytes compressed, ${image.unpackedBytes} unpacked`);
    expect(compressedBytes).toBeLessThan(LIMIT_BYTES);
    expect(image.unpackedBytes).toBeLessThan(LIMIT_BYTES);
  }, 120_000);

  test('says what it is', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'packages/server/package.json'), 'utf8'));
    expect(image.config.Labels).toMatchObject({
      'org.opencontainers.image.title': 'svc-server',
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.revision': expect.stringMatching(/^[0-9a-f]{40}$/),
      'org.opencontainers.image.licenses': 'MIT',
    });
    expect(image.config.User).toBe(`${USER}:${USER}`);
  });

  test('lists every package inside, with its licence', () => {
    const names = componentsOf(image).map(({ name, version }) => `${name}@${version}`);
    // Not the manifests of a package's examples.
    const manifests = globSync('app/node_modules/**/package.json', { cwd: image.rootfs }).filter((file) =>
      /node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(file),
    );
    const inside = manifests.map((file) => {
      const { name, version } = JSON.parse(readFileSync(join(image.rootfs, file), 'utf8'));
      return `${name}@${version}`;
    });
    expect(inside.length).toBeGreaterThan(80);
    expect(inside.filter((name) => !names.includes(name))).toEqual([]);
    // Packages whose code is in the bundle.
    expect(names.map((name) => name.replace(/(.)@.*/, '$1'))).toEqual(
      expect.arrayContaining(['@scalar/api-reference', 'smtp-server', 'postal-mime', '@noble/hashes']),
    );
    expect(withoutLicense(image)).toEqual([]);
    expect(readdirSync(join(image.rootfs, 'var/lib/dpkg/status.d'))).toContain('libc6');
  });

  describe('compose.yaml', () => {
    const SERVERS = ['api', 'inbound', 'worker'] as const;
    let compose: ComposeFile;
    let host: Host;
    let env: Record<string, string>;
    let crm: Process;
    const containers: Record<string, Container> = {};

    /** `docker compose run --rm SERVICE ARGS`: its output. */
    const runOnce = async (service: string, command: readonly string[], input = '') => {
      const container = await host.run({ ...compose.services[service], command }, { env, input });
      expect([await container.ended, container.output()]).toEqual([0, expect.any(String)]);
      return container.output();
    };

    beforeAll(async () => {
      const url = databaseUrl ?? '';
      const database: TestDatabase = await createTestDatabase(url);
      closes.push(() => database.drop());
      crm = await startSimulatorProcess('--organization-id', '12345678');
      closes.push(() => crm.stop());
      const example = parseEnvFile(readFileSync(join(DEPLOY, 'compose.env.example'), 'utf8'));
      env = {
        ...example,
        POSTGRES_PASSWORD: 'not-asked-for',
        SVC_ENCRYPTION_KEY: createHash('sha256').update('test').digest('base64'),
      };
      compose = readCompose(env);
      host = await startHost(image, Object.keys(compose.networks), ['postgres']);
      closes.push(() => host.close());
      for (const network of ['database', 'outside']) {
        const address = host.gateway(network);
        closes.push(await forward({ host: address, port: 5432 }, Number(new URL(url).port)));
        closes.push(await forward({ host: address, port: 8088 }, Number(new URL(crm.url).port)));
      }
      // The names that compose.yaml gives to the database and its owner.
      const { pathname } = new URL(database.url);
      env = { ...env, SVC_HUBSPOT_URL: `http://${host.gateway('outside')}:8088` };
      for (const service of [...SERVERS, 'migrate']) {
        const environment = compose.services[service]?.environment ?? {};
        expect(environment['DATABASE_URL']).toBe('postgres://svc:not-asked-for@postgres:5432/svc');
        Object.assign(environment, { DATABASE_URL: `postgres://postgres@postgres:5432${pathname}` });
      }
      expect(await runOnce('migrate', compose.services['migrate']?.command ?? [])).toContain('up to date');
      for (const name of SERVERS) containers[name] = await host.run({ ...compose.services[name] }, { env });
      for (const name of SERVERS) await untilHealthy(containers[name]);
    }, 180_000);

    const urlOf = (name: string, port = 4000) => `http://${containers[name]?.address('outside')}:${port}`;

    test.each(SERVERS)(
      '%s: not root, no capabilities, no new privileges, a root that cannot be written to',
      async (name) => {
        const container = containers[name];
        const status = await container?.status();
        const none = '0000000000000000';
        expect(status).toMatchObject({ CapEff: none, CapPrm: none, CapBnd: none, CapInh: none, NoNewPrivs: '1' });
        expect(status?.['Uid']?.split('\t')).toEqual(Array.from({ length: 4 }, () => String(USER)));
        for (const path of ['/x', '/app/x', '/data/x', '/var/tmp/x']) {
          const written = await container?.exec(['node', '-e', `fs.appendFileSync(${JSON.stringify(path)}, 'x')`]);
          expect([path, written?.code, /code: '(\w+)'/.exec(written?.output ?? '')?.[1]]).toEqual([path, 1, 'EROFS']);
        }
      },
    );

    test('health says whether a server is live and ready, and metrics are not public', async () => {
      for (const name of SERVERS) {
        const ready = await containers[name]?.exec(['node', '/app/bin/svc-server.js', 'health']);
        expect([ready?.code, ready?.output]).toEqual([0, 'The server on http://127.0.0.1:9464 is ready.\n']);
      }
      const elsewhere = ['node', '/app/bin/svc-server.js', 'health', '--live', '--port', '4009'];
      const failed = await host.run({ ...compose.services['api'], command: elsewhere.slice(2) }, { env });
      expect([await failed.ended, failed.output()]).toEqual([1, expect.stringContaining('ECONNREFUSED')]);
      expect((await fetch(`${urlOf('api')}/metrics`)).status).toBe(404);
      expect((await fetch(`${urlOf('inbound')}/metrics`)).status).toBe(404);
      await expect(fetch(`${urlOf('worker')}/health/live`)).rejects.toThrow('fetch failed');
    });

    test("npm start's events go through it", async () => {
      const outputs = [];
      for (const line of documentedCommands()) {
        const [, args = '', input] = /^docker compose run --rm (?:--no-TTY )?api (.*?)(?: < (\S+))?$/.exec(line) ?? [];
        outputs.push(await runOnce('api', args.split(' '), input === undefined ? '' : 'pat-test\n'));
      }
      const paths: Record<string, string> = {};
      for (const platform of Object.keys(INBOUND_PATHS)) {
        const shown = outputs.find((output) => output.includes(`${platform}`) && output.includes('https://')) ?? '';
        const url = new URL(/https:\/\/\S+/.exec(shown)?.[0] ?? '');
        expect(url.host).toBe('in.svc.example.com');
        paths[platform] = url.pathname.replace('/webhooks/', '');
      }
      const [key = ''] = /osapi_\S+/.exec(outputs.join('')) ?? [];
      await postAll(urlOf('inbound'), paths);
      await expect.poll(() => countSynced(urlOf('api'), key), WITHIN_A_MINUTE).toBe(eventCount);
      const state = await getJson(`${crm.url}/__sim/state`);
      expect(Object.keys(state.contacts).length).toBeGreaterThan(1);
    }, 600_000);

    test('SIGTERM ends each of them with 0, and nothing was written', async () => {
      for (const name of SERVERS) {
        expect([name, await containers[name]?.stop()]).toEqual([name, 0]);
        expect(containers[name]?.output()).toContain('stopping: finishing running work');
      }
      expect(await listFiles(image.rootfs)).toEqual(filesBefore);
    });
  });

  test('a demo, with the embedded database in a volume, under the system call filter of the systemd unit', async () => {
    const volume = mkdtempSync(join(tmpdir(), 'svc-volume-'));
    closes.push(() => rmSync(volume, { recursive: true, force: true }));
    const data = join(volume, 'data');
    mkdirSync(data, { mode: 0o700 });
    // As a new volume takes it from the image.
    const { uid, gid } = lstatSync(join(image.rootfs, 'data'));
    expect([uid, gid]).toEqual([USER, USER]);
    chownSync(data, uid, gid);
    const host = await startHost(image, ['outside'], []);
    closes.push(() => host.close());
    const settings = {
      ...{ read_only: true, tmpfs: ['/tmp:mode=1777'], networks: ['outside'], command: ['start', '--demo'] },
      ...{ volumes: [{ source: data, target: '/data' }], cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] },
    };
    const container = await host.run(settings, { systemCalls: await allowedSystemCalls() });
    await untilHealthy(container);
    const url = `http://${container.address('outside')}:4000`;
    const before = await countSynced(url, 'osapi_demo_read');
    await postAll(url, INBOUND_PATHS);
    const count = () => countSynced(url, 'osapi_demo_read');
    await expect.poll(count, WITHIN_A_MINUTE).toBe(before + eventCount);
    expect(readdirSync(data)).toContain('encryption.key');
    const denied = await container.exec(['node', '-e', 'os.setPriority(10)']);
    expect([denied.code, denied.output]).toEqual([1, expect.stringContaining('EPERM')]);
    expect(await container.stop()).toBe(0);
    expect(await listFiles(image.rootfs)).toEqual(filesBefore);
  }, 600_000);
});

describe.skipIf(lacking)('the container image of the mock', () => {
  const TOKEN = 'for-tests-only';
  let mock: Image;
  let container: Container;
  let url: string;

  beforeAll(async () => {
    mock = await images.build('mock');
    const host = await startHost(mock, ['outside'], []);
    closes.push(() => host.close());
    container = await host.run({
      ...{ read_only: true, tmpfs: ['/tmp:mode=1777'], networks: ['outside'] },
      ...{ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] },
      ...{ command: ['--now', '2026-01-15T12:00:00Z'], environment: { SVC_MOCK_CONTROL_TOKEN: TOKEN } },
    });
    await untilHealthy(container);
    url = `http://${container.address('outside')}:4010`;
  }, 180_000);

  test('says what it is, adds less than 4 MB to its base, and lists what is bundled', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'packages/mock/package.json'), 'utf8'));
    expect(mock.config.Labels).toMatchObject({
      'org.opencontainers.image.title': 'svc-mock',
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.revision': expect.stringMatching(/^[0-9a-f]{40}$/),
    });
    expect(mock.config.User).toBe(`${USER}:${USER}`);
    expect(Object.keys(mock.config.ExposedPorts)).toEqual(['4010/tcp']);
    expect(readdirSync(join(mock.rootfs, 'app')).toSorted()).toEqual([
      'LICENSE',
      'README.md',
      'bin',
      'dist',
      'package.json',
    ]);
    const sizes = globSync('app/**/*', { cwd: mock.rootfs }).map((file) => lstatSync(join(mock.rootfs, file)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(4_000_000);
    expect(componentsOf(mock).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['zod', 'commander', '@noble/hashes', '@msw/data']),
    );
    expect(withoutLicense(mock)).toEqual([]);
  });

  test('answers everyone, and lets only those with the token control it', async () => {
    const me = await fetch(`${url}/api/v1/me`, { headers: { authorization: 'Bearer osapi_demo_read' } });
    expect(me.status).toBe(200);
    const control = async (headers: Record<string, string>) => (await fetch(`${url}/__svc/health`, { headers })).status;
    expect([await control({}), await control({ 'svc-control-token': TOKEN })]).toEqual([401, 200]);
  });

  test.skipIf(!hasPytest)('serves the suite in Python of docs/samples', async () => {
    const { code, output } = await run('python3', [...PYTEST, join(root, 'docs/samples')], {
      env: { SVC_MOCK_URL: url, SVC_MOCK_CONTROL_TOKEN: TOKEN, PYTHONDONTWRITEBYTECODE: '1' },
    });
    expect([code, output]).toEqual([0, expect.stringContaining('4 passed')]);
  });

  test('SIGTERM ends it with 0', async () => {
    expect([await container.stop(), container.output()]).toEqual([0, expect.stringContaining('svc-mock is ready on')]);
  });
});

interface Component {
  readonly name: string;
  readonly version: string;
  readonly licenses?: readonly object[];
}

function componentsOf({ rootfs }: Image): readonly Component[] {
  return JSON.parse(readFileSync(join(rootfs, 'sbom.cdx.json'), 'utf8')).components;
}

function withoutLicense(of: Image): string[] {
  return componentsOf(of).flatMap(({ name, licenses = [] }) => (licenses.length === 0 ? [name] : []));
}

async function untilHealthy(container: Container | undefined): Promise<void> {
  let end: string | null = null;
  void container?.ended.then((code) => (end = `it ended with ${code}: ${container.output()}`));
  await vi.waitUntil(async () => end !== null || (await container?.checkHealth())?.code === 0, 60_000);
  expect(end).toBeNull();
}

/** The commands of docs/deploying.md that follow the start. */
function documentedCommands(): string[] {
  const text = readFileSync(join(root, 'docs/deploying.md'), 'utf8');
  const [, block = ''] = /<!-- in containers -->\n```sh\n([\s\S]*?)```/.exec(text) ?? [];
  const lines = block.trim().split('\n');
  expect(lines.length).toBeGreaterThan(4);
  return lines;
}

async function postAll(url: string, paths: Readonly<Record<string, string>>): Promise<void> {
  for (const { platform, headers, body } of payloads) {
    const answer = await fetch(`${url}/webhooks/${paths[platform]}`, {
      ...{ method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } },
    });
    expect([platform, answer.status]).toEqual([platform, 200]);
  }
}

/** The events of the last hour that are in the CRM. */
async function countSynced(url: string, key: string): Promise<number> {
  const hour = 3_600_000;
  const [from, to] = [-hour, hour].map((ms) => new Date(Date.now() + ms).toISOString());
  const query = new URLSearchParams({ from: from ?? '', to: to ?? '' });
  const answer = await fetch(`${url}/api/v1/syncs/metrics?${query}`, { headers: { authorization: `Bearer ${key}` } });
  const { success = 0, warning = 0, error = 0 }: Record<string, number> = JSON.parse(await answer.text());
  expect([answer.status, error]).toEqual([200, 0]);
  return success + warning;
}

/** Passes connections on to a port of this machine's loopback. Returns how to stop. */
async function forward(from: { host: string; port: number }, port: number): Promise<() => void> {
  const server: Server = createServer((socket) => {
    const target = connect(port, '127.0.0.1');
    socket.pipe(target).pipe(socket);
    for (const side of [socket, target]) side.on('error', () => [socket, target].forEach((each) => each.destroy()));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(from.port, from.host, resolve));
  return () => server.close();
}

/** Every file with owner, mode, size and last change; without what the runtime mounts. */
async function listFiles(folder: string): Promise<string[]> {
  const { stdout } = await must('find', [folder, '-xdev', '-not', '-type', 'd', '-printf', '%P %y %U %G %m %s %T@\\n']);
  return stdout
    .split('\n')
    .filter((line) => !/^(dev\/|etc\/hosts )/.test(line))
    .sort();
}
