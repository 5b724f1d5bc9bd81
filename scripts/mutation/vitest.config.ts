import { basename, dirname } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification, type Vite } from 'vitest/node';
import { endKeptThread, keptThreadPool } from './kept-thread.ts';

/** The mutant's own tests first: a run ends with the first test that fails, and these fail most often. */
class OwnTestsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const mutated = this.ctx.config.related?.[0];
    if (mutated === undefined) return files;
    const names = new Set([basename(mutated, '.ts'), basename(dirname(mutated))]);
    const isOwn = ({ moduleId }: TestSpecification): boolean => names.has(basename(moduleId, '.test.ts'));
    return [...files.filter(isOwn), ...files.filter((file) => !isOwn(file))];
  }
}

/** The mutation test asks for one of the test runner's own pools, whatever the configuration says. */
const keepThread: Vite.Plugin = {
  name: 'keep-thread',
  configureVitest({ project, vitest }) {
    project.config.pool = keptThreadPool.name;
    project.config.poolRunner = keptThreadPool;
    vitest.onClose(endKeptThread);
  },
};

/** The domain's tests under mutation: pure functions, so that nothing has to be isolated or set up. */
export default defineConfig({
  plugins: [keepThread],
  test: {
    include: ['packages/domain/{src,test}/**/*.test.ts'],
    setupFiles: ['scripts/mutation/vitest.setup.ts'],
    isolate: false,
    // A test that fails because the machine is busy would count as one that noticed the mutant.
    testTimeout: 60_000,
    sequence: { sequencer: OwnTestsFirst },
  },
});
