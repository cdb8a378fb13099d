import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { home, projectFiles } from '../../scripts/checks/project.ts';
import { type ApiDocument, describe as describeApi } from '../../scripts/sdk/describe.ts';
import { filesOfSdk } from '../../scripts/sdk/write.ts';
import { describeSandbox } from '../support/documents.ts';

const { plain } = await describeSandbox();
const document = plain as unknown as ApiDocument;
const textOf = (path: string): string => readFileSync(`${home}${path}`, 'utf8');
const { version: VERSION } = JSON.parse(textOf('package.json')) as { version: string };

it('the generated part of the SDK is what the document gives (npm run sdk:generate)', async () => {
  const files = await filesOfSdk(document, VERSION);
  expect(readdirSync(`${home}sdk/src/generated`).toSorted()).toEqual(Object.keys(files).toSorted());
  for (const [name, text] of Object.entries(files))
    expect(textOf(`sdk/src/generated/${name}`) === text, name).toBe(true);
});

it('every operation has a method of its own, and a name that no other has', () => {
  const names = describeApi(document).operations.map(({ resource, method }) => `${resource ?? ''}.${method}`);
  expect(new Set(names).size).toBe(names.length);
});

it('the SDK, the command line and the server have one version', () => {
  expect(JSON.parse(textOf('sdk/package.json')).version).toBe(VERSION);
});

it('no page installs or runs a name on npm that is not ours yet', () => {
  const bare = /npx (?:-\S+ )*@?reckoner|npm (?:i|install|add)\b[^\n]* @?reckoner/;
  const pages = projectFiles().filter(({ path }) => path.endsWith('.md'));
  expect(pages.filter(({ text }) => bare.test(text)).map(({ path }) => path)).toEqual([]);
  expect(['npx reckoner apply', 'npm install @reckoner/sdk'].map((text) => bare.test(text))).toEqual([true, true]);
});
