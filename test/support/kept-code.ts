import module from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * The variable of a process that a test starts from TypeScript. Node keeps the code without its types for the next such
 * process, in the folder that `bin/reckoner.js` also uses. A process that is killed must call `keepCode`.
 */
export const KEPT_CODE = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/reckoner', import.meta.url)),
};

/** The environment of this process with that variable. */
export const withKeptCode = (): NodeJS.ProcessEnv => ({ ...process.env, ...KEPT_CODE });

/** Writes the loaded code of this process. Node does so at a clean exit, which a killed process does not have. */
export const keepCode = (): void => module.flushCompileCache();
