/** Serves the API on its own database and prints its URL: `node api-server.ts DATABASE_URL`. */
import { answerLines } from './process.ts';
import { serve } from './serve.ts';

const [databaseUrl = ''] = process.argv.slice(2);
const { running, cleanUp } = await serve({ databaseUrl, startWorkers: false });
answerLines(running.url, async (line) => line, cleanUp);
