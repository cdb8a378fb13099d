import { writeFileSync } from 'node:fs';
import { SPECIFICATION } from '../test/specification/rules.ts';
import { conformancePage, proofsOf } from './checks/conformance.ts';
import { home, projectFiles } from './checks/project.ts';

/** Prints docs/conformance.md from the rules and the tests that prove them: `npm run docs:conformance`. */
writeFileSync(`${home}docs/conformance.md`, conformancePage(SPECIFICATION, proofsOf(projectFiles())));
