import type { Program } from './start/environment.ts';
import { run } from './start/run.ts';

/** The program: reads the command line, runs the command with the real parts, and ends with its exit code. */
export async function main(): Promise<void> {
  process.exit(await run(process.argv.slice(2), process.env, loadProgram));
}

async function loadProgram(): Promise<Program> {
  const [
    {
      openEnvironment,
      auditDatabase,
      makeSignInLink,
      recomputeDatabase,
      rotateDatabase,
      acceptClock,
      beginLife,
      rebuildSums,
      rebuildUsageProjection,
    },
    { migrate, checkVersion, secondsBehind },
    { generateApiKey },
  ] = await Promise.all([import('./app.ts'), import('./db/index.ts'), import('./identity/index.ts')]);
  return {
    openEnvironment,
    migrate,
    checkVersion,
    secondsBehind,
    auditDatabase,
    makeSignInLink,
    recomputeDatabase,
    rotateDatabase,
    acceptClock,
    beginLife,
    rebuildSums,
    rebuildUsageProjection,
    generateApiKey,
  };
}

if (import.meta.main) await main();
