/** All that others may use of the auditor. */
export { audit, invariantCount, type Violation } from './audit.ts';
