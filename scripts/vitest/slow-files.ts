/** The test files that take longest, slowest first, as `npm test` and `npm run test:long` name them at their end. */
export const SLOW_FILES: readonly string[] = [
  'scripts/documents.long.test.ts',
  'packages/cli/test/every-command.long.test.ts',
  'packages/dashboard/test/journeys/every-page.long.test.ts',
  'packages/dashboard/test/journeys/stored-xss.long.test.ts',
  'packages/server/test/ingest/ingest-buffer.long.test.ts',
  'packages/server/test/chaos/chaos.long.test.ts',
  'packages/server/test/process/backup.long.test.ts',
  'packages/dashboard/test/journeys/roles-and-keyboard.long.test.ts',
  'packages/server/test/process/key-rotation.long.test.ts',
  'packages/cli/test/screens.long.test.ts',
  'packages/server/test/process/process.long.test.ts',
  'packages/server/test/deploy/container.long.test.ts',
  'packages/server/test/process/rolling-update.long.test.ts',
  'packages/server/test/process/worlds.long.test.ts',
  'packages/server/test/pipeline/crm-outage.long.test.ts',
  'packages/server/test/process/kill.long.test.ts',
  'packages/mock/test/main.long.test.ts',
  'packages/server/test/admin/admin-commands.long.test.ts',
  'packages/server/test/pipeline/stored-databases.long.test.ts',
  'packages/server/test/process/held-events-kill.long.test.ts',
  'scripts/setup.long.test.ts',
  'packages/cli/test/features/export-screen.long.test.ts',
  'packages/server/test/process/relays-kill.long.test.ts',
  'packages/conformance/src/differential/differential-worlds.long.test.ts',
];

/** Moves the slow files to the front, in their order; the others keep theirs. */
export function orderSlowFirst<T>(files: readonly T[], nameOf: (file: T) => string, slow = SLOW_FILES): T[] {
  const rankOf = (file: T) => {
    const rank = slow.indexOf(nameOf(file));
    return rank === -1 ? slow.length : rank;
  };
  return files.toSorted((a, b) => rankOf(a) - rankOf(b));
}
