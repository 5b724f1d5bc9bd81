/** The order of the test files in a run. */
import { relative, sep } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { orderSlowFirst } from './slow-files.ts';

/**
 * Starts the files that take longest first, so that at the end of a run no worker waits for one of them. Vitest knows how long a file took only
 * where it has run before, and CI starts from a clean clone: there `SLOW_FILES` go before all others, which vitest orders by size.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return orderSlowFirst(await super.sort(files), (spec) =>
      relative(this.ctx.config.root, spec.moduleId).replaceAll(sep, '/'),
    );
  }
}
