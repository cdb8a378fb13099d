import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { home, projectFiles } from '../../scripts/checks/project.ts';

const pages = projectFiles().filter(({ path }) => path.endsWith('.md'));

/** Links of a page that lead to a file of the project, without the part behind `#`. */
const linksOf = (text: string): string[] =>
  [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => (target as string).split('#')[0] as string)
    .filter((target) => target !== '' && !/^[a-z]+:/.test(target));

describe('the pages', () => {
  it('link to what is there', () => {
    const broken = pages.flatMap(({ path, text }) =>
      linksOf(text)
        .filter((target) => !existsSync(join(home, dirname(path), target)))
        .map((target) => `${path} links to ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it('name the folders of src in ARCHITECTURE.md, each of them', () => {
    const map = pages.find(({ path }) => path === 'ARCHITECTURE.md')?.text ?? '';
    const folders = new Set(projectFiles().flatMap(({ path }) => /^src\/([a-z]+)\//.exec(path)?.slice(1, 2) ?? []));
    expect([...folders].filter((folder) => !map.includes(`\`src/${folder}/\``))).toEqual([]);
  });

  it('list every decision in order, each with a number of its own', () => {
    const decisions = pages
      .map(({ path }) => /^docs\/decisions\/(\d{4}-.+\.md)$/.exec(path)?.[1])
      .filter((name) => name !== undefined);
    const index = pages.find(({ path }) => path === 'docs/decisions/README.md')?.text ?? '';
    expect(linksOf(index)).toEqual(decisions);
    const numbers = decisions.map((name) => name.slice(0, 4));
    expect(numbers).toEqual([...new Set(numbers)]);
  });
});

it('sees links to files, and no others', () => {
  expect(linksOf('[a](b.md#c), [d](https://e.example), [f](#g), ![h](i/j.png)')).toEqual(['b.md', 'i/j.png']);
});
