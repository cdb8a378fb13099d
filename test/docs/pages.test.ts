import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { preparedData } from '../start/prepared.ts';
import { project, startReckoner } from '../start/support.ts';
import { type Block, blocksOf, matches } from './blocks.ts';
import { runBlocks } from './shell.ts';

const textOf = (path: string): string => readFileSync(join(project, path), 'utf8');

const pageOf = (path: string): (Block & { path: string })[] =>
  blocksOf(textOf(path)).map((block) => ({ ...block, path }));

/** The pages of the table of contents, in its order. */
const contents = [...textOf('docs/README.md').matchAll(/\]\(([a-z-]+\.md)\)/g)].map(([, name]) => `docs/${name}`);

/** The call that a start prints, as a reader would copy it. */
function printedCall(output: string): Block {
  const [, call] = /Try it:\n([\s\S]*?)\n\n/.exec(output) ?? [];
  if (call === undefined) throw new Error(`The start shows no call:\n${output}`);
  return { line: 0, script: `${call}\n`, output: '{"id":"evt_…"object":"event"…"type":"tokens.used"…}' };
}

it('the table of contents has every page once, the quickstart first', () => {
  const pages = readdirSync(join(project, 'docs')).filter((name) => name.endsWith('.md') && name !== 'README.md');
  expect(contents.toSorted()).toEqual(pages.map((name) => `docs/${name}`).toSorted());
  expect(contents[0]).toBe('docs/quickstart.md');
});

/**
 * One start for all pages, as by `npm start`. Each page runs after README and quickstart, and shares their functions
 * and variables. The program's time is more than a year later than now, so outdated dates fail here first.
 */
it('every page prints what it says, run block by block after a fresh start', { timeout: 900_000 }, async () => {
  const data = await preparedData();
  const folder = dirname(data);
  const program = startReckoner({
    DATA_DIR: data,
    RECKONER_ENVIRONMENT: 'sandbox',
    RECKONER_DEMO: 'true',
    NODE_OPTIONS: `--import ${join(project, 'test/docs/later.mjs')}`,
    LATER_DAYS: '500',
  });
  const [demo] = await program.until(/Demo complete|(?:is not complete|was not created): .*/);
  expect(demo).toBe('Demo complete');
  const [quickstart, ...further] = contents.map(pageOf);
  const first = [
    ...pageOf('README.md'),
    { path: 'the start', ...printedCall(program.output()) },
    ...(quickstart ?? []),
  ];
  const printed = await runBlocks(first, further, folder);
  for (const [index, { path, line, output = '' }] of [...first, ...further.flat()].entries()) {
    const got = printed[index] as string;
    expect(matches(output, got), `${path}:${line} printed:\n${got}`).toBe(true);
  }
  expect(further.flat().length).toBeGreaterThan(50);
});
