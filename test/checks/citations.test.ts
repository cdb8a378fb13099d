import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { danglingCitations } from '../../scripts/checks/citations.ts';
import { home, projectFiles, report } from '../../scripts/checks/project.ts';

const page = (name: string) => readFileSync(`${home}docs/specification/${name}.md`, 'utf8');

it('everything that comments, tests and pages cite is in the specification', () => {
  const specification = {
    interface: page('interface'),
    domain: page('domain'),
    api: page('api'),
    commercial: page('commercial'),
    invariants: page('invariants'),
  };
  expect(report(danglingCitations(projectFiles(), specification))).toEqual([]);
});

describe('this check sees', () => {
  const specification = {
    interface: '## 1. Words\n## 2. Resources\n',
    domain: '## 1. Terms\n## 2. Prices\n## 3. Time\n',
    api: '## Everywhere\n### Lists\n',
    commercial: '## 1. Coupons\n',
    invariants: '| I-01 | Nothing is lost |\n',
  };
  const dangling = (text: string, path = 'src/tax/a.ts') => danglingCitations([{ path, text }], specification);

  it.each([
    '// a rate (fields.md)',
    '// as §3 says',
    '// as domain.md §4 says',
    '// as interface.md §3 says',
    '// as api.md, Webhooks says',
    '// I-02',
  ])('a citation that leads nowhere: %s', (text) => expect(dangling(text)).toHaveLength(1));

  it.each([
    '// as §2, rule 7 says',
    '// as domain.md §3 says',
    '// as api.md, Lists',
    '// as api.md, POST /v0/events',
    '// RFC 9110 §12.5.4',
    '// I-01',
    '// see docs/taxes.md',
  ])('none in: %s', (text) => expect(dangling(text)).toEqual([]));

  it('what a migration cites, and leaves links of pages alone', () => {
    expect(dangling('-- §9', 'migrations/0001_a.sql')).toHaveLength(1);
    expect(dangling('[Taxes](taxes.md)', 'docs/a.md')).toEqual([]);
  });
});
