import { globSync } from 'node:fs';
import { join } from 'node:path';
import * as Args from '@oclif/core/args';
import { Config } from '@oclif/core/config';
import * as Flags from '@oclif/core/flags';
import { beforeAll, describe, expect, test } from 'vitest';
import { GLOBAL_VALUE_FLAGS } from '../main/find-command.ts';
import { BaseCommand } from './base-command.ts';

const ROOT = join(import.meta.dirname, '..', '..');

class Probe extends BaseCommand {
  static override id = 'probe';
  static override args = { first: Args.string(), second: Args.string() };
  static override flags = {
    tag: Flags.string({ multiple: true }),
    loud: Flags.boolean(),
    seen: Flags.boolean({ allowNo: true }),
  };

  async run() {
    const { args, flags } = await this.parse(Probe);
    return { args, flags };
  }
}

describe('parsing', () => {
  let config: Config;
  beforeAll(async () => {
    config = await Config.load(ROOT);
  });
  const parse = (...argv: string[]) => new Probe(argv, config).run();

  test('a repeatable flag does not consume arguments', async () => {
    const { args, flags } = await parse('--tag', 'a', 'one', '--tag', 'b', 'two');
    expect([args, flags.tag]).toEqual([{ first: 'one', second: 'two' }, ['a', 'b']]);
  });

  test('missing arguments are not read from stdin', async () => {
    await parse('one');
    expect(Object.values(Probe.args).map(({ ignoreStdin }) => ignoreStdin)).toEqual([true, true]);
  });

  test('boolean flags default to false, except those with --no-', async () => {
    const { flags } = await parse();
    expect(flags).toMatchObject({ loud: false, json: false });
    expect('seen' in flags).toBe(false);
    expect((await parse('--loud', '--no-seen')).flags).toMatchObject({ loud: true, seen: false });
  });
});

describe('every command extends BaseCommand', () => {
  const files = globSync('src/commands/**/*.ts', { cwd: ROOT });
  test('there are commands', () => expect(files.length).toBeGreaterThan(50));

  // The commands of `mock` pass their arguments to another program.
  test.each(files.filter((file) => !file.includes(join('commands', 'mock'))))('%s', async (file) => {
    const { default: command } = await import(join(ROOT, file));
    expect(command.prototype).toBeInstanceOf(BaseCommand);
  });
});

test('GLOBAL_VALUE_FLAGS lists the base flags with a value', () => {
  const withValue = Object.entries(BaseCommand.baseFlags).filter(([, flag]) => flag.type === 'option');
  expect(withValue.map(([name]) => `--${name}`).toSorted()).toEqual(GLOBAL_VALUE_FLAGS.toSorted());
});
