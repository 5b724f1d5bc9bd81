/** The API on a database of its own, in a process of its own: `node api-server.ts DATABASE_URL`. Says its URL. */
import { answerLines } from './process.ts';
import { serve } from './serve.ts';

const [databaseUrl = ''] = process.argv.slice(2);
const { running, cleanUp } = await serve({ databaseUrl, startWorkers: false });
answerLines(running.url, async (line) => line, cleanUp);
