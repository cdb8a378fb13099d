import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { project, READY, startReckoner, temporaryFolder } from '../start/support.ts';
import { blocksOf, matches } from './blocks.ts';
import { runBlocks } from './shell.ts';

it('runs every block of the quickstart against a fresh start, and prints what the page shows', {
  timeout: 120_000,
}, async () => {
  const page = readFileSync(join(project, 'docs', 'quickstart.md'), 'utf8');
  const blocks = blocksOf(page);
  expect(blocks.length).toBeGreaterThan(8);
  const folder = temporaryFolder();
  const program = startReckoner({ DATA_DIR: join(folder, '.reckoner'), RECKONER_ENVIRONMENT: 'sandbox' });
  await program.until(READY);
  const printed = await runBlocks(blocks, folder);
  for (const [index, { line, output }] of blocks.entries()) {
    if (output !== undefined)
      expect(matches(output, printed[index] as string), `line ${line} printed:\n${printed[index]}`).toBe(true);
  }
});
