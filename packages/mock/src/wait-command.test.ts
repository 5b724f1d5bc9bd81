import { expect, test } from 'vitest';
import { runWaitCommand } from './wait-command.ts';

test.each([
  [['http://127.0.0.1', 'http://127.0.0.1'], 'too many arguments'],
  [['svc:4000'], 'URL must be an http or https URL, such as http://127.0.0.1:4010, not svc:4000'],
  [['http://a:b@127.0.0.1'], 'URL must not hold a user name or password'],
  [['--timeout', 'soon'], '--timeout must be a duration such as 30s or 5m, not soon'],
  [['--timeout', '30'], '--timeout must be a duration such as 30s or 5m, not 30'],
])('svc-mock wait %j is refused', async (args, message) => {
  await expect(runWaitCommand(args)).rejects.toThrow(message);
});
