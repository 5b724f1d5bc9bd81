import { expect, test } from 'vitest';
import type { ExitCode } from '../errors/exit-codes.ts';
import { exitCodeOfBatch } from './batch-exit-code.ts';

test.each<[codes: ExitCode[], exitCode: ExitCode]>([
  [[], 0],
  [[0, 0], 0],
  [[6], 6],
  [[9, 9], 9],
  [[0, 9], 10],
  [[3, 9], 10],
  [[11], 11],
  [[0, 11], 11],
  [[9, 11], 10],
  [[0, 9, 11], 10],
])('%j: %i', (codes, exitCode) => {
  expect(exitCodeOfBatch(codes)).toBe(exitCode);
});
