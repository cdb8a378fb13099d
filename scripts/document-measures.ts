import { describeApi } from '../src/http/api-document.ts';
import { wireDomains } from '../src/wiring.ts';
import { type ApiDocument, documentMeasures } from './checks/descriptions.ts';

/** Prints how much of the API reference is described; with `--list`, each property that is not. */
const domains = wireDomains('sandbox', 'http://localhost');
const routes = domains.routes({ runClock: async () => 0 } as never);
await domains.close();
const measures = documentMeasures((await describeApi(routes, 'http://localhost')).plain as ApiDocument);
const missing = [...measures.undescribed].toSorted(([a], [b]) => a.localeCompare(b));
const left = missing.reduce((sum, [, names]) => sum + names.length, 0);
console.log(`properties described: ${measures.properties - left} of ${measures.properties}`);
console.log(`operations with a description: ${measures.operationsWithDescription} of ${measures.operations}`);
console.log(`bodies with an example: ${measures.bodiesWithExample} of ${measures.bodies}`);
console.log(`replies with an example: ${measures.repliesWithExample} of ${measures.replies}`);
if (process.argv.includes('--list')) for (const [name, names] of missing) console.log(`${name}: ${names.join(', ')}`);
