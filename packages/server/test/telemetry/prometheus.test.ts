/** The alert rules and the dashboard: they fit the metrics of this release, and promtool accepts them. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMetrics } from '@svc/engine/runtime/metrics';
import { hasProgram } from '../../../../scripts/vitest/lacking.ts';
import { alertCases, alerts, dashboard, prometheusConfig, prometheusDir, withVariables } from './prometheus-files.ts';

const queries = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
const root = path.join(prometheusDir, '../..');

describe('the metrics of alerts and dashboard', () => {
  /** Labels by metric; for a histogram those of its buckets too. */
  const known = new Map<string, Set<string>>([['up', new Set()]]);
  beforeAll(async () => {
    const { text } = createMetrics(['write-crm']);
    const scrape = await text();
    for (const [, name = ''] of scrape.matchAll(/^# TYPE (\w+) (?!histogram|summary)/gm)) known.set(name, new Set());
    for (const [, name = ''] of scrape.matchAll(/^# TYPE (\w+) (?:histogram|summary)/gm)) {
      for (const end of ['_bucket', '_sum', '_count']) known.set(name + end, new Set());
    }
  });

  test.each([...alerts.map(({ alert, expr }) => [alert, expr]), ...queries.map(({ title, expr }) => [title, expr])])(
    '%s',
    (_name, expr = '') => {
      const names = expr.match(/\b(?:svc|process|nodejs)_\w+|\bup\b/g) ?? [];
      expect(names.length).toBeGreaterThan(0);
      expect(names.filter((name) => !known.has(name))).toEqual([]);
    },
  );

  test('label values are those of the server', async () => {
    const scrape = await createMetrics(['write-crm']).text();
    const values = new Set([...scrape.matchAll(/\w+="([^"]*)"/g)].map(([, value]) => value));
    // Labels of series that appear with their first call: classes of answers, and operations that are no operations of the API.
    for (const later of ['401', '403', '429', '5..', 'dashboard', 'inbound', 'metrics', 'none']) values.add(later);
    const matchers = [...alerts, ...queries].flatMap(({ expr }) => [...expr.matchAll(/(\w+)(?:=|!=|=~|!~)"([^"]*)"/g)]);
    const given = matchers.filter(([, label]) => label !== 'job').flatMap(([, , text = '']) => text.split('|'));
    expect(given.length).toBeGreaterThan(20);
    expect(given.filter((value) => !values.has(value))).toEqual([]);
  });

  test('every metric of the server is in an alert or on the dashboard', () => {
    expect(notShown([...known.keys()])).toEqual([
      'svc_crm_outage_next_probe_seconds: add a panel to deploy/grafana/svc.json, or an alert to deploy/prometheus/alerts.yml',
    ]);
  });

  test('the message for a new metric names the metric and the files that can show it', () => {
    expect(notShown(['svc_pigeons_total', 'svc_pigeon_seconds_bucket', 'svc_pigeon_seconds_sum'])).toEqual([
      'svc_pigeons_total: add a panel to deploy/grafana/svc.json, or an alert to deploy/prometheus/alerts.yml',
      'svc_pigeon_seconds_bucket: add a panel to deploy/grafana/svc.json, or an alert to deploy/prometheus/alerts.yml',
    ]);
  });

  /** Returns the metrics that no alert and no panel uses. A histogram counts as shown when its buckets are. */
  function notShown(names: readonly string[]): string[] {
    const used = [...alerts, ...queries].map(({ expr }) => expr).join('\n');
    return names
      .filter((name) => name.startsWith('svc_') && !/_(?:sum|count)$/.test(name) && !used.includes(name))
      .map((name) => `${name}: add a panel to deploy/grafana/svc.json, or an alert to deploy/prometheus/alerts.yml`);
  }
});

describe('alerts', () => {
  const headings = readFileSync(path.join(root, 'docs/alerts.md'), 'utf8').match(/^### .*$/gm) ?? [];

  test('each has a runbook: a heading of docs/alerts.md, in the same order', () => {
    expect(headings).toEqual(alerts.map(({ alert }) => `### ${alert}`));
    for (const { alert, annotations } of alerts) {
      expect(annotations.runbook_url).toBe(`docs/alerts.md#${alert.toLowerCase()}`);
    }
  });

  test('each has a case in which it is quiet and one in which it fires', () => {
    for (const { alert } of alerts) {
      const [quiet, firing, ...others] = alertCases.filter(({ alertname }) => alertname === alert);
      expect([alert, quiet?.exp_alerts, firing?.exp_alerts?.length, others]).toEqual([alert, undefined, 1, []]);
    }
  });

  test('each has a known severity, and the configuration loads them for the job that they name', () => {
    for (const { labels } of alerts) expect(['critical', 'warning', 'info']).toContain(labels.severity);
    expect(prometheusConfig).toMatchObject({ rule_files: ['alerts.yml'], scrape_configs: [{ job_name: 'svc' }] });
  });
});

describe('the dashboard', () => {
  test('can be imported: ids are unique, no panel covers another, and each has data of the chosen source and a unit', () => {
    const { panels, templating } = dashboard;
    expect(templating.list.map(({ name, type }) => [name, type])).toEqual([
      ['datasource', 'datasource'],
      ['job', 'query'],
    ]);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    for (const panel of panels.filter(({ type }) => type !== 'row')) {
      expect(panel).toMatchObject({
        datasource: { uid: '${datasource}' },
        fieldConfig: { defaults: { unit: expect.any(String) } },
      });
      expect(panel.gridPos.x + panel.gridPos.w).toBeLessThanOrEqual(24);
      for (const { expr } of panel.targets ?? []) expect(expr).toContain('job=~"$job"');
    }
  });
});

const hasPromtool = hasProgram('promtool', 'the rules of deploy/prometheus', { install: 'prometheus' });

describe.skipIf(!hasPromtool)('promtool', () => {
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'svc-promtool-'));
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));
  const promtool = (...args: string[]) => execFileSync('promtool', args, { cwd: prometheusDir, encoding: 'utf8' });

  test('accepts the configuration and the rules', () => {
    // The token is a file of the operator's machine.
    expect(promtool('check', 'config', '--syntax-only', 'prometheus.yml')).toContain('SUCCESS');
    expect(promtool('check', 'rules', 'alerts.yml')).toContain(`${alerts.length} rules found`);
  });

  test('the alerts are quiet and fire as their cases say', () => {
    expect(promtool('test', 'rules', 'alerts.test.yml')).toContain('SUCCESS');
  });

  test('accepts the queries of the dashboard', () => {
    const rules = queries.map(({ expr }, index) => ({
      record: `query_${index}`,
      expr: withVariables(expr, { job: 'svc', rateInterval: '1m' }),
    }));
    const file = path.join(scratch, 'queries.yml');
    // JSON is YAML.
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
    expect(promtool('check', 'rules', file)).toContain(`${queries.length} rules found`);
  });
});
