// Node, Bun and Deno: address and key are arguments.
import { prove } from './prove.js';

const [baseUrl, apiKey] = globalThis.Deno?.args ?? globalThis.process.argv.slice(2);
console.log(JSON.stringify(await prove(baseUrl, apiKey)));
