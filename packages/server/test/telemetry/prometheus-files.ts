/** The files of `deploy/` for Prometheus and Grafana, as data. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

export const prometheusDir = fileURLToPath(new URL('../../../../deploy/prometheus/', import.meta.url));
const read = (path: string) => readFileSync(new URL(`../../../../deploy/${path}`, import.meta.url), 'utf8');

export interface Alert {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; description: string; runbook_url: string };
}

export interface Panel {
  id: number;
  type: string;
  title: string;
  gridPos: { h: number; w: number; x: number; y: number };
  datasource?: { uid: string };
  fieldConfig?: { defaults: { unit: string } };
  targets?: { refId: string; expr: string; legendFormat: string }[];
}

export interface Dashboard {
  title: string;
  uid: string;
  schemaVersion: number;
  templating: { list: { name: string; type: string }[] };
  panels: Panel[];
}

export const prometheusConfig: { rule_files: string[]; scrape_configs: { job_name: string }[] } = parse(
  read('prometheus/prometheus.yml'),
);
export const dashboard: Dashboard = JSON.parse(read('grafana/svc.json'));

const rules: { groups: { rules: Alert[] }[] } = parse(read('prometheus/alerts.yml'));
export const alerts = rules.groups.flatMap((group) => group.rules);
const cases: { tests: { alert_rule_test: { alertname: string; exp_alerts?: unknown[] }[] }[] } = parse(
  read('prometheus/alerts.test.yml'),
);
export const alertCases = cases.tests.flatMap((entry) => entry.alert_rule_test);

/** Replaces the variables of Grafana in a query. */
export function withVariables(expr: string, { job, rateInterval }: { job: string; rateInterval: string }): string {
  return expr.replaceAll('$__rate_interval', rateInterval).replaceAll('$job', job);
}
