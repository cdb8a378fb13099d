import { writeFileSync } from 'node:fs';
import { describeApi } from '../src/http/reference/api-document.ts';
import { referenceParts, wireDomains } from '../src/wiring.ts';
import { type ApiDocument, documentMeasures, gapsOf } from './checks/descriptions.ts';
import { home } from './checks/project.ts';

/**
 * Prints how much of the API reference is described. With `--list` it prints each property that is not; with `--write`
 * it writes the gaps to the list that a test holds.
 */
const domains = wireDomains('sandbox', 'http://localhost');
const routes = domains.routes({ runClock: async () => 0 } as never);
await domains.close();
const { plain } = describeApi({ routes, baseUrl: 'http://localhost', ...referenceParts });
const measures = documentMeasures(plain as ApiDocument);
const { undescribed, properties, operations, plainOperations, bodies, bareBodies, replies } = measures;
const missing = [...undescribed].toSorted(([a], [b]) => a.localeCompare(b));
const left = missing.reduce((sum, [, names]) => sum + names.length, 0);
console.log(`properties described: ${properties - left} of ${properties}`);
console.log(`operations with a description: ${operations - plainOperations.length} of ${operations}`);
console.log(`bodies with an example: ${bodies - bareBodies.length} of ${bodies}`);
console.log(`replies with an example: ${measures.repliesWithExample} of ${replies}`);
if (process.argv.includes('--list')) for (const [name, names] of missing) console.log(`${name}: ${names.join(', ')}`);
if (process.argv.includes('--write'))
  writeFileSync(`${home}scripts/checks/undescribed.json`, `${JSON.stringify(gapsOf(measures), null, 2)}\n`);
