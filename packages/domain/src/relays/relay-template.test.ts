import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { testRuleCases } from '../../test/rule-suite.ts';
import {
  namesField,
  pickTemplate,
  renderTemplate,
  TEMPLATE_FIELDS,
  type TemplateValues,
  templateProblem,
  textAsHtml,
} from './relay-template.ts';

const NO_VALUES = Object.fromEntries(TEMPLATE_FIELDS.map((field) => [field, ''])) as TemplateValues;

testRuleCases('relay-template', ({ rule }) => {
  rule<string>('templateProblem', templateProblem);
  rule<{ template: string; values: Partial<TemplateValues> }>('renderTemplate', ({ template, values }) =>
    renderTemplate(template, { ...NO_VALUES, ...values }),
  );
});

test('every field is replaced, the first 50 of a template', () => {
  const template = TEMPLATE_FIELDS.map((field) => `{{${field}}}`).join(' ');
  const values = Object.fromEntries(TEMPLATE_FIELDS.map((field) => [field, field])) as TemplateValues;
  expect(templateProblem(template)).toBeNull();
  expect(renderTemplate(template, values).text).toBe(TEMPLATE_FIELDS.join(' '));
  expect(renderTemplate('{{phone}}'.repeat(51), { ...NO_VALUES, phone: '1' }).text).toBe(`${'1'.repeat(50)}{{phone}}`);
});

test('namesField', () => {
  expect(namesField('a {{ replyText }}', 'replyText')).toBe(true);
  expect(namesField('a {{subject}} replyText', 'replyText')).toBe(false);
});

test('the event picks the template, always the same one, and all of them over time', () => {
  const templates = ['a', 'b', 'c'];
  expect(pickTemplate([], 1)).toBeNull();
  expect(pickTemplate(['a'], 123)).toBe('a');
  for (const step of [1, 2, 3, 6]) {
    const picks = Array.from({ length: 60 }, (_, index) => pickTemplate(templates, index * step));
    expect(picks).toEqual(Array.from({ length: 60 }, (_, index) => pickTemplate(templates, index * step)));
    for (const template of templates) expect(picks.filter((pick) => pick === template).length).toBeGreaterThan(8);
  }
});

test('no value adds markup to the HTML part', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      expect(textAsHtml(value).replaceAll('<br>\n', '')).not.toMatch(/[<>"']/);
      const { html } = renderTemplate('<p title="{{subject}}">x</p>', { ...NO_VALUES, subject: value });
      expect(html).toBe(`<p title="${textAsHtml(value)}">x</p>`);
    }),
  );
});

test('an unclosed field before a long row of spaces is refused at once', () => {
  expect(templateProblem(`{{${' '.repeat(20_000)}`)).toMatch(/without a field/);
});
