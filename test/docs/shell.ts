import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Block } from './blocks.ts';

const has = (program: string): boolean => spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;

/**
 * Runs blocks one after another in one shell, which stops at the first failing command. Then each page has a shell of
 * its own with the definitions of the first blocks. Answers the output of each block. `node` is the Node of the tests;
 * `reckoner` is the program, and a
 * small replacement stands in for a missing curl.
 */
export async function runBlocks(
  first: readonly Block[],
  pages: readonly (readonly Block[])[],
  folder: string,
): Promise<string[]> {
  const blocks = [...first, ...pages.flat()];
  const mark = (index: number) => `--- end of block ${index} ---`;
  const marked = (block: Block) => `${block.script}\necho; echo '${mark(blocks.indexOf(block))}'\n`;
  const script = [...first.map(marked), ...pages.map((page) => `(:\n${page.map(marked).join('')})\n`)].join('');
  const tools = join(folder, 'tools');
  mkdirSync(tools);
  const addTool = (name: string, program: string) => {
    const file = join(tools, name);
    writeFileSync(file, `#!/bin/sh\nexec node '${fileURLToPath(new URL(program, import.meta.url))}' "$@"\n`);
    chmodSync(file, 0o755);
  };
  addTool('reckoner', '../../bin/reckoner.js');
  if (!has('curl')) addTool('curl', './curl.ts');
  const path = [tools, dirname(process.execPath), process.env.PATH].join(delimiter);
  const shell = spawn(has('bash') ? 'bash' : 'sh', ['-eu'], { cwd: folder, env: { ...process.env, PATH: path } });
  let output = '';
  let errors = '';
  shell.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
  });
  shell.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString('utf8');
  });
  shell.stdin.end(script);
  const code = await new Promise((ended) => shell.once('close', ended));
  if (code !== 0) throw new Error(`The shell ended with ${code}.\nIt had printed:\n${output.slice(-2000)}\n${errors}`);
  let remaining = output;
  return blocks.map((_, index) => {
    const [printed, ...others] = remaining.split(`${mark(index)}\n`);
    remaining = others.join(`${mark(index)}\n`);
    return (printed as string).trim();
  });
}
