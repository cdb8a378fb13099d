import { readFileSync, writeFileSync } from 'node:fs';
import { describeSandbox } from '../test/support/documents.ts';
import { home } from './checks/project.ts';
import type { ApiDocument } from './sdk/describe.ts';
import { filesOfSdk } from './sdk/write.ts';

/** Writes the generated part of the SDK from the schemas of the routes: `npm run sdk:generate`. */
const { plain } = await describeSandbox();
const { version } = JSON.parse(readFileSync(`${home}package.json`, 'utf8')) as { version: string };
for (const [name, text] of Object.entries(await filesOfSdk(plain as unknown as ApiDocument, version)))
  writeFileSync(`${home}sdk/src/generated/${name}`, text);
