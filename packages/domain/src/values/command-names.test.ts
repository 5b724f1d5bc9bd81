import { expect, test } from 'vitest';
import { findExactCommand, findSimilarCommand } from './command-names.ts';

const COMMANDS = ['doctor', 'sources add', 'sources list', 'requests show', 'accounts create'];

test.each([
  ['sources add', 'sources add', 'sources add'],
  ['sources add --connection 1', 'sources add', 'sources add'],
  ['sources create', null, 'sources add'],
  ['requests get 5', null, 'requests show'],
  ['doctor', null, 'doctor'],
  ['doctor now', null, 'doctor'],
  ['accounts frobnicate', null, 'accounts'],
  ['accounts', null, 'accounts'],
  ['account', null, null],
  ['', null, null],
])('%s', (line, exact, similar) => {
  expect(findExactCommand(line.split(' '), COMMANDS)).toBe(exact);
  expect(findSimilarCommand(line.split(' '), COMMANDS)).toBe(similar);
});
