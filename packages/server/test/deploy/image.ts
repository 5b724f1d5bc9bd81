/** Builds the container images as documented, with a base of Debian's packages, in a storage of their own. */
import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, run, type RunResult } from '../../../../scripts/processes.ts';
import { DEPLOY } from './compose.ts';

export interface Image {
  /** Its files, on this machine. */
  readonly rootfs: string;
  readonly config: {
    readonly User: string;
    readonly Env: readonly string[];
    readonly Entrypoint: readonly string[];
    readonly Cmd: readonly string[];
    readonly WorkingDir: string;
    readonly Labels: Readonly<Record<string, string>>;
    readonly ExposedPorts: Readonly<Record<string, object>>;
    readonly Healthcheck: { readonly Test: readonly string[] };
  };
  /** Returns the bytes of all layers as a registry stores them. */
  readonly countCompressedBytes: () => Promise<number>;
  /** Bytes of all layers unpacked. */
  readonly unpackedBytes: number;
}

export interface Images {
  build(packageName: 'server' | 'mock'): Promise<Image>;
  remove(): void;
}

/** Makes the base, which all images share. */
export async function prepareImages(): Promise<Images> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-image-test-'));
  const storage = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs'];
  const buildah = async (...args: string[]) => (await must('buildah', [...storage, ...args])).stdout.trim();
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const base = join(folder, 'base.tar');
    await must(join(DEPLOY, 'debian-base.sh'), [base]);
    const scratch = await buildah('from', 'scratch');
    await buildah('add', '--quiet', scratch, base, '/');
    await buildah('commit', '--quiet', '--rm', scratch, 'localhost/svc-base');
  } catch (error) {
    remove();
    throw error;
  }
  return {
    remove,
    async build(packageName) {
      const [name, prepared] = [`svc-${packageName}`, join(folder, packageName)];
      await must(process.execPath, [join(root, 'scripts/image.ts'), '--package', packageName, prepared]);
      // OCI images have no health check.
      const build = ['build', '--quiet', '--isolation', 'chroot', '--format', 'docker'];
      await buildah(...build, '--build-arg', 'BASE=localhost/svc-base', '--tag', name, prepared);
      const { Docker, Manifest } = JSON.parse(await buildah('inspect', '--type', 'image', name));
      const layers: { size: number }[] = JSON.parse(Manifest).layers;
      const container = await buildah('from', name);
      return {
        rootfs: await buildah('mount', container),
        config: Docker.config,
        async countCompressedBytes() {
          const copy = join(folder, `${packageName}-oci`);
          await buildah('push', '--quiet', name, `oci:${copy}:${name}`);
          const blobs = join(copy, 'blobs', 'sha256');
          return readdirSync(blobs).reduce((sum, blob) => sum + lstatSync(join(blobs, blob)).size, 0);
        },
        unpackedBytes: layers.reduce((sum, { size }) => sum + size, 0),
      };
    },
  };
}

export async function must(command: string, args: readonly string[]): Promise<RunResult> {
  const result = await run(command, args, { env: { BUILDAH_ISOLATION: 'chroot' } });
  if (result.code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${result.code}:\n${result.output}`);
  return result;
}
