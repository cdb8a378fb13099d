import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { project, READY, startReckoner, temporaryFolder } from '../start/support.ts';
import { type Block, blocksOf, matches } from './blocks.ts';
import { runBlocks } from './shell.ts';

const pageOf = (path: string): (Block & { path: string })[] =>
  blocksOf(readFileSync(join(project, path), 'utf8')).map((block) => ({ ...block, path }));

/** The call that a start prints, as somebody would copy it. */
function printedCall(output: string): Block {
  const [, call] = /Try it:\n([\s\S]*?)\n\n/.exec(output) ?? [];
  if (call === undefined) throw new Error(`The start shows no call:\n${output}`);
  return { line: 0, script: `${call}\n`, output: '{"id":"evt_…"object":"event"…"type":"tokens.used"…}' };
}

/** One start for all, as `npm start` would make it: the pages go from one to the other and share the functions they define. */
it('prints what README, quickstart, entitlements and the start itself say, run block by block after a fresh start', {
  timeout: 240_000,
}, async () => {
  const folder = temporaryFolder();
  const program = startReckoner({
    DATA_DIR: join(folder, '.reckoner'),
    RECKONER_ENVIRONMENT: 'sandbox',
    RECKONER_DEMO: 'true',
  });
  await program.until(READY);
  await program.until(/Demo complete/);
  const [tour, quickstart] = [pageOf('README.md'), pageOf('docs/quickstart.md')];
  const further = pageOf('docs/entitlements.md');
  expect([tour.length, quickstart.length > 8]).toEqual([1, true]);
  const blocks = [...tour, { path: 'the start', ...printedCall(program.output()) }, ...quickstart, ...further];
  const printed = await runBlocks(blocks, folder);
  for (const [index, { path, line, output }] of blocks.entries()) {
    const got = printed[index] as string;
    if (output !== undefined) expect(matches(output, got), `${path}:${line} printed:\n${got}`).toBe(true);
  }
});
