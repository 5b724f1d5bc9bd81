/** Texts that would do something if a page took them for more than text. What they do is noticed: see `watchFor` and `scan`. */
import type { Tab } from './tab.ts';

/** An element that no page has. */
export const ELEMENT = 'hostile-element';
/** A path that no page asks for. */
export const PROBE = '/hostile-probe';
const RUN = `alert('hostile')`;

/** Each contains its tag, so that it can be found on a page again. */
const KINDS: readonly ((tag: string) => string)[] = [
  (tag) => `<script>${RUN}</script>${tag}`,
  (tag) => `</script></style></title></textarea><${ELEMENT}>${tag}</${ELEMENT}>`,
  (tag) => `<img src=${PROBE} onerror=${RUN}>${tag}`,
  (tag) => `<svg onload=${RUN}><animate onbegin=${RUN} attributeName=x>${tag}</svg>`,
  (tag) => `" onmouseover="${RUN}" autofocus onfocus="${RUN}" title="${tag}`,
  (tag) => `' onclick='${RUN}' style='background:url(${PROBE})' ${tag}`,
  (tag) => `javascript:${RUN}//${tag}`,
  (tag) => `\u0001 jaVa\tscript:${RUN}//${tag}`,
  (tag) => `data:text/html,<script>${RUN}</script>${tag}`,
  (tag) => `{{constructor.constructor("${RUN}")()}}\${${RUN}}<%= ${RUN} %>#{${RUN}}${tag}`,
  (tag) => `&lt;${ELEMENT}&gt;&#60;${ELEMENT}&#62;\\u003c${ELEMENT}\\u003e${tag}`,
  (tag) => `\u202e\u2028\ufeff\ud83d\uff1c${ELEMENT}\uff1e\u0130<\u017fcript>${RUN}</\u017fcript>${tag}`,
  (tag) => `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;<img src=${PROBE} onerror=${RUN}>">${tag}`,
  (tag) =>
    `<iframe srcdoc="<script>parent.${RUN}</script>"></iframe><base href=${PROBE}/><meta http-equiv=refresh content="0;${PROBE}">${tag}`,
  (tag) => `]]><!--<${ELEMENT}>--!>${tag}__proto__`,
  (tag) =>
    `<a href="javascript:${RUN}" ping=${PROBE}><form action=${PROBE}><button formaction="javascript:${RUN}">${tag}`,
];
export const KIND_COUNT = KINDS.length;

/** Names that are special to objects. */
export const SPECIAL_NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'then'];

let tags = 0;
const TAG = /hx\d+x/g;

/** Returns a text with a tag that no other has. @param kind any number */
export function hostileText(kind: number): string {
  return KINDS[kind % KIND_COUNT]?.(`hx${tags++}x`) ?? '';
}

/** How many texts were made. */
export function countTags(): number {
  return tags;
}

/** Adds to the findings of the tab what hostile texts cause: dialogs, frames, requests. */
export function watchFor({ page, findings }: Tab): void {
  page.on('dialog', (dialog) => {
    findings.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (request.url().includes(PROBE)) findings.push(`request: ${request.url()}`);
  });
  page.on('framenavigated', (frame) => {
    if (frame.parentFrame() !== null) findings.push(`frame: ${frame.url()}`);
  });
  page.on('popup', (popup) => findings.push(`popup: ${popup.url()}`));
}

/** What a page must not have, and the tags that it shows as text. */
const SCAN = `(() => {
  const problems = [];
  const isWeb = (url) => ['http:', 'https:', 'mailto:'].includes(new URL(url, document.baseURI).protocol);
  for (const element of document.querySelectorAll('*')) {
    const name = element.localName;
    if (['${ELEMENT}', 'iframe', 'math', 'object', 'embed', 'animate'].includes(name)) problems.push(element.outerHTML.slice(0, 200));
    for (const { name: attribute, value } of element.attributes) {
      if (/^on/i.test(attribute) || attribute === 'srcdoc' || attribute === 'ping') problems.push(name + ' has ' + attribute);
      if (['href', 'src', 'action', 'formaction', 'xlink:href', 'data'].includes(attribute) && !isWeb(value)) problems.push(name + ' ' + attribute + ' ' + value);
    }
  }
  for (const script of document.scripts) if (script.src === '') problems.push('a script without an address');
  if (document.querySelectorAll('base').length !== 1) problems.push('another base');
  if ({}.polluted !== undefined || Object.prototype.hasOwnProperty.call(Object.prototype, 'hostile')) problems.push('a polluted prototype');
  const values = [...document.querySelectorAll('input, textarea, option')].map((field) => field.value);
  const shown = [document.body.innerText, document.title, ...values].join(' ').match(${TAG.toString()}) ?? [];
  return { problems, shown: [...new Set(shown)] };
})()`;

/** Scans the open page; returns the tags that it shows. */
export async function scan({ evaluate, findings, page }: Tab): Promise<readonly string[]> {
  const { problems, shown } = (await evaluate(SCAN)) as { problems: string[]; shown: string[] };
  findings.push(...problems.map((problem) => `${page.url()}: ${problem}`));
  return shown;
}
