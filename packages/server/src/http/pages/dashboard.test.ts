import { Command } from 'commander';
import { expect, test } from 'vitest';
import { defineAdminCommands } from '../../admin/cli/index.ts';
import { dashboardPage } from './dashboard.ts';

const program = new Command('svc-server');
defineAdminCommands(program);

const { body } = dashboardPage({
  api: 'http://x',
  sync: 'http://x',
  dashboard: 'http://x/dashboard',
  docs: 'http://x/docs',
});
const lines = [...body.matchAll(/<pre><code>([^<]*)<\/code><\/pre>/g)].flatMap(([, text = '']) => text.split('\n'));

test('shows commands for each kind of remediation', () => {
  expect(lines.length).toBeGreaterThan(5);
});

test.each(lines)('%s is a complete command', (line) => {
  const [name, nounName, verbName, ...rest] = line.split(' ');
  expect(name).toBe('svc-server');
  const noun = program.commands.find((command) => command.name() === nounName);
  const verb = noun?.commands.find((command) => command.name() === verbName);
  expect(verb?.name()).toBe(verbName);
  const given = rest.filter((word) => word.startsWith('--'));
  const known = verb?.options.map((option) => option.long) ?? [];
  const needed = verb?.options.filter((option) => option.mandatory).map((option) => option.long) ?? [];
  expect(known).toEqual(expect.arrayContaining(given));
  expect(given).toEqual(expect.arrayContaining(needed));
  const takesArgument = (verb?.registeredArguments.length ?? 0) > 0;
  expect(/^[A-Z]+$/.test(rest[0] ?? '')).toBe(takesArgument);
});
