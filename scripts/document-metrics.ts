import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { dashboardFile } from './checks/dashboard.ts';
import { alertsFile, monitoringPage } from './checks/monitoring.ts';
import { home } from './checks/project.ts';

/** Writes the page, the alert rules and the dashboard of the metrics: `npm run docs:metrics`. */
for (const [file, text] of [
  ['docs/monitoring.md', monitoringPage()],
  ['deploy/prometheus/alerts.yaml', alertsFile()],
  ['deploy/grafana/reckoner.json', dashboardFile()],
] as const) {
  mkdirSync(path.dirname(home + file), { recursive: true });
  writeFileSync(home + file, text);
}
