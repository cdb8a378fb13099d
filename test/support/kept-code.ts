import module from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * The environment of a process that a test starts from TypeScript: Node keeps the code without its types for the next
 * such process, in the folder that `bin/reckoner.js` uses too. A process that is killed must call `keepCode`.
 */
export const withKeptCode = (): NodeJS.ProcessEnv => ({
  ...process.env,
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/reckoner', import.meta.url)),
});

/** Writes out the code that this process has loaded. Node does so at a clean exit, which a killed process has not. */
export const keepCode = (): void => module.flushCompileCache();
