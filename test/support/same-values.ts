import fc from 'fast-check';
import { isDeep } from './cases.ts';
import { keepPlans } from './kept-plans.ts';
import { SEED } from './seed.ts';

/** Before each test file: properties use the values of `SEED`, the same in each run (decision 0174). */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED });
if (!isDeep) keepPlans();
