import { writeFileSync } from 'node:fs';
import { errorsPage, errorTablesOf, fieldCodesOf } from './checks/error-codes.ts';
import { home, projectFiles } from './checks/project.ts';

/** Prints docs/errors.md from the error tables: `npm run docs:errors`. */
const files = projectFiles();
writeFileSync(`${home}docs/errors.md`, errorsPage(await errorTablesOf(files), fieldCodesOf(files)));
