/** Builds the container image as documented, with a base of Debian's packages, in a storage of its own. */
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
    readonly Healthcheck: { readonly Test: readonly string[] };
  };
  /** Bytes of all layers as a registry stores them. */
  readonly compressedBytes: number;
  /** Bytes of all layers unpacked. */
  readonly unpackedBytes: number;
  remove(): void;
}

export async function buildImage(): Promise<Image> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-image-test-'));
  const storage = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs'];
  const buildah = async (...args: string[]) => (await must('buildah', [...storage, ...args])).stdout.trim();
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const base = join(folder, 'base.tar');
    await must(join(DEPLOY, 'debian-base.sh'), [base]);
    const prepared = join(folder, 'image');
    await must(process.execPath, [join(root, 'scripts/image.ts'), prepared]);
    const scratch = await buildah('from', 'scratch');
    await buildah('add', '--quiet', scratch, base, '/');
    await buildah('commit', '--quiet', '--rm', scratch, 'localhost/svc-base');
    // OCI images have no health check.
    const build = ['build', '--quiet', '--isolation', 'chroot', '--format', 'docker'];
    await buildah(...build, '--build-arg', 'BASE=localhost/svc-base', '--tag', 'svc-server', prepared);
    const { Docker, Manifest } = JSON.parse(await buildah('inspect', '--type', 'image', 'svc-server'));
    const layers: { size: number }[] = JSON.parse(Manifest).layers;
    await buildah('push', '--quiet', 'svc-server', `oci:${join(folder, 'oci')}:svc-server`);
    const blobs = join(folder, 'oci', 'blobs', 'sha256');
    const container = await buildah('from', 'svc-server');
    return {
      rootfs: await buildah('mount', container),
      config: Docker.config,
      compressedBytes: readdirSync(blobs).reduce((sum, name) => sum + lstatSync(join(blobs, name)).size, 0),
      unpackedBytes: layers.reduce((sum, { size }) => sum + size, 0),
      remove,
    };
  } catch (error) {
    remove();
    throw error;
  }
}

export async function must(command: string, args: readonly string[]): Promise<RunResult> {
  const result = await run(command, args, { env: { BUILDAH_ISOLATION: 'chroot' } });
  if (result.code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${result.code}:\n${result.output}`);
  return result;
}
