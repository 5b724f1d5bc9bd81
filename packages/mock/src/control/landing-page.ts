/** The page at `/` of `svc-mock`: its worlds, their newest calls, and the control endpoints. */
import { escapeHtml, pageHeaders, renderPage } from '@svc/domain/pages/html-page';
import type { Reply } from '../service/call.ts';
import type { Engine } from '../service/engine.ts';
import { entriesOf } from '../state/history.ts';
import type { JournalEntry } from '../state/traffic.ts';
import type { World } from '../state/world.ts';
import { CONTROL_HEADERS, CONTROL_PREFIX } from './prefix.ts';
import { controlRoutes } from './routes.ts';

/** Newest calls to show of each world. */
const CALLS_SHOWN = 20;
/** Newest worlds to show beside the default world. */
const WORLDS_SHOWN = 20;

/** @param refusal why this caller may not see worlds and calls; null when it may */
export function landingPage(engine: Engine, refusal: string | null): Reply {
  const body = renderPage({
    title: 'svc-mock',
    body: [
      introduction(engine),
      refusal === null ? listWorlds(engine) : `<h2>Worlds</h2>\n<p>Not shown: ${escapeHtml(refusal)}</p>`,
      listEndpoints(),
    ].join('\n'),
  });
  return { text: { body, contentType: 'text/html; charset=utf-8' }, headers: { ...CONTROL_HEADERS, ...pageHeaders() } };
}

function introduction({ deps: { urls } }: Engine): string {
  return `<p>A mock of the Sequencer-to-CRM sync service. It answers the
<a href="${escapeHtml(urls.docs)}">public API</a> below <code>${escapeHtml(urls.api)}/api/v1</code>. Tests control it by the
<a href="#control">control endpoints</a> below <code>${CONTROL_PREFIX}</code>. Reload this page for newer calls.</p>`;
}

function listWorlds(engine: Engine): string {
  const [first, ...isolated] = engine.worlds.list();
  const shown = isolated.slice(-WORLDS_SHOWN).reverse();
  const hidden = isolated.length - shown.length;
  const all = first === undefined ? shown : [first, ...shown];
  const rest = hidden === 0 ? '' : `<p>and ${hidden} older worlds: <code>GET ${CONTROL_PREFIX}/worlds</code></p>`;
  return all.map((world) => describeWorld(engine, world)).join('\n') + rest;
}

function describeWorld(engine: Engine, world: World): string {
  const { clock, data, faults, journal, outbox, settings } = world.state;
  const facts = [
    `${engine.now(world).toISOString()}, clock ${clock.mode}`,
    count(data.apiKeys.length, 'key'),
    count(journal.length, 'call'),
    count(outbox.length, 'outgoing post'),
    count(faults.length, 'fault'),
    ...(settings.scenarios.length === 0 ? [] : [`scenarios ${settings.scenarios.join(', ')}`]),
  ];
  const calls = entriesOf(journal).slice(-CALLS_SHOWN).reverse().map(describeCall);
  const heading = `<h2>World ${escapeHtml(world.id)}</h2>\n<p>${escapeHtml(facts.join(' · '))}</p>`;
  return calls.length === 0 ? heading : `${heading}\n<ul>\n${calls.join('\n')}\n</ul>`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function describeCall(call: JournalEntry): string {
  const status = call.status === null ? 'no answer' : String(call.status);
  const text = `${status} ${call.method} ${call.path}`;
  const hint = call.hint === null ? '' : `<br>${escapeHtml(call.hint)}`;
  return `<li><code>${escapeHtml(text)}</code> ${escapeHtml(call.operationId ?? 'no operation')}${hint}</li>`;
}

function listEndpoints(): string {
  const rows = controlRoutes.map(
    ({ method, path, summary }) =>
      `<li><code>${escapeHtml(`${method} ${CONTROL_PREFIX}${path}`)}</code> ${escapeHtml(summary)}</li>`,
  );
  return `<h2 id="control">Control endpoints</h2>
<p>They act on the world of the key in <code>Authorization</code>, or on the one that <code>Svc-World</code> names; without both, on the default
world. Their description: <a href=".${CONTROL_PREFIX}/openapi.json">OpenAPI 3.1</a>.</p>
<ul>
${rows.join('\n')}
</ul>`;
}
