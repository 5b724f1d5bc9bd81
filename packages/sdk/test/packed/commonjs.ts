import { run } from '../../../../scripts/processes.ts';
import type { Installation } from './install.ts';
import type { Service } from './service.ts';

/** What `consumer/main.cjs` prints, with an empty stderr. */
export const REQUIRED = { code: 0, stdout: '{"account":1,"missing":true,"refused":400}\n', stderr: '' };

/** Runs the CommonJS program with a Node. */
export async function requireAll(node: string, { folder }: Installation, { url, apiKey }: Service) {
  const { code, stdout, stderr } = await run(node, ['main.cjs', url, apiKey], { cwd: folder });
  return { code, stdout, stderr };
}
