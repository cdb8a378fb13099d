import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { home } from '../../scripts/checks/project.ts';
import { describeSandbox } from '../support/documents.ts';
import { generateTypes } from './generated-types.ts';

/** `program` is a client in TypeScript, written against types that a generator makes of the document. */
const PROGRAM = `${home}test/clients/program/`;

let folder: string;
let types: string;
beforeAll(async () => {
  types = await generateTypes((await describeSandbox()).plain);
  folder = await mkdtemp(join(tmpdir(), 'reckoner-client-'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  for (const file of ['program.ts', 'tsconfig.json']) await copyFile(`${PROGRAM}${file}`, join(folder, file));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The messages of the compiler about the program with these types; empty if it compiles. */
async function compiled(api: string): Promise<string> {
  await writeFile(join(folder, 'api.ts'), api);
  const compiler = `${home}node_modules/typescript/bin/tsc`;
  return new Promise((done) => {
    execFile(process.execPath, [compiler, '-p', folder], (_error, output) => done(output));
  });
}

it('has no value of an unknown type in the types of a generator but JSON of any content', () => {
  expect(types).toContain('export interface StandardPriceCreate');
  const open = [...types.matchAll(/^.*\b(?:unknown|any)\b.*$/gm)].map(([line]) => line.trim());
  expect([...new Set(open)]).toEqual(['export type JsonValue = unknown', '[k: string]: unknown']);
});

it('lets a client compile that uses every price model and every kind of entitlement template', async () => {
  expect(await compiled(types)).toBe('');
});

it('refuses the same client where a model is not in the document', async () => {
  expect(await compiled(types.replaceAll('"matrix"', '"grid"'))).toMatch(/program\.ts.*error TS/);
});
