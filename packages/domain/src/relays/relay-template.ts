/**
 * Body templates of reply relays.
 *
 * 1. `{{name}}` is replaced by the field of that name (`TEMPLATE_FIELDS`); spaces inside the braces do not count. A field that
 *    the event does not have is empty. Nothing else is interpreted: no conditions, no code.
 * 2. Unknown names, unclosed braces and more than 50 fields are refused when a relay is made or changed. A relay of an earlier
 *    release may have them: they stay as they are written.
 * 3. A template with an HTML tag is HTML; any other is plain text. Both parts of the mail are made from it. In the HTML part,
 *    values are escaped, and their line breaks become `<br>`.
 * 4. Of several templates, the event's id picks one: every attempt sends the same, and different events take turns.
 */
import { toPlainText } from '../values/plain-text.ts';

/** The fields that a template can name. */
export const TEMPLATE_FIELDS = [
  'leadName',
  'leadEmail',
  'senderName',
  'senderEmail',
  'firstName',
  'lastName',
  'companyName',
  'jobTitle',
  'phone',
  'profileUrl',
  'campaignName',
  'category',
  'platform',
  'mailbox',
  'subject',
  'replyText',
  'receivedAt',
] as const;
export type TemplateField = (typeof TEMPLATE_FIELDS)[number];
export type TemplateValues = Readonly<Record<TemplateField, string>>;

/** Both parts of a mail. */
export interface MailBody {
  readonly text: string;
  readonly html: string;
}

const FIELDS_PER_TEMPLATE_MAX = 50;
/** Spaces are trimmed afterwards: matching them here would take cubic time for a long row of spaces. */
const FIELD = /\{\{([^{}]*)\}\}/g;

/** Returns what is wrong with a template, for people; null when it is valid (rule 2). */
export function templateProblem(template: string): string | null {
  const names = [...template.matchAll(FIELD)].map(([, name = '']) => name.trim());
  const unknown = names.find((name) => !isField(name));
  if (unknown !== undefined) {
    return `names the unknown field {{${unknown.slice(0, 50)}}}: use ${TEMPLATE_FIELDS.join(', ')}`;
  }
  const rest = template.replaceAll(FIELD, '');
  if (rest.includes('{{') || rest.includes('}}')) return 'has {{ or }} without a field: write {{leadName}}';
  if (names.length > FIELDS_PER_TEMPLATE_MAX) return `must name at most ${FIELDS_PER_TEMPLATE_MAX} fields`;
  return null;
}

/** Whether a template contains a field. */
export function namesField(template: string, field: TemplateField): boolean {
  return [...template.matchAll(FIELD)].some(([, name]) => name?.trim() === field);
}

/** Picks the template of an event; null without templates (rule 4). */
export function pickTemplate(templates: readonly string[], eventId: number): string | null {
  // Neighbouring ids may go to different relays, so a remainder could pick the same one for ever.
  const mixed = Math.imul(eventId ^ (eventId >>> 16), 0x9e37_79b1) >>> 0;
  return templates[Math.floor((mixed / 2 ** 32) * templates.length)] ?? null;
}

/** Renders both parts of a mail (rule 3). */
export function renderTemplate(template: string, values: TemplateValues): MailBody {
  if (HAS_TAG.test(template)) {
    const [text, html] = [toPlainText(template), template];
    return { text: replaceFields(text, values, (value) => value), html: replaceFields(html, values, textAsHtml) };
  }
  return { text: replaceFields(template, values, (value) => value), html: textTemplateAsHtml(template, values) };
}

const HAS_TAG =
  /<(?:a|b|blockquote|body|br|div|em|h[1-6]|hr|html|i|img|li|ol|p|pre|small|span|strong|table|td|th|tr|u|ul)\b[^<>]*>/i;

function textTemplateAsHtml(template: string, values: TemplateValues): string {
  // Field names have no characters that are escaped.
  return `<p>${replaceFields(textAsHtml(template), values, textAsHtml)}</p>`;
}

function replaceFields(template: string, values: TemplateValues, encode: (value: string) => string): string {
  let left = FIELDS_PER_TEMPLATE_MAX;
  return template.replaceAll(FIELD, (written: string, inner: string) => {
    const name = inner.trim();
    if (!isField(name) || left === 0) return written;
    left -= 1;
    return encode(values[name]);
  });
}

function isField(name: string): name is TemplateField {
  return TEMPLATE_FIELDS.some((field) => field === name);
}

/** Returns text as HTML, also safe inside of a quoted attribute. */
export function textAsHtml(text: string): string {
  return text.replaceAll(/[&<>"']|\r?\n/g, (found) => ENTITIES[found] ?? '<br>\n');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
