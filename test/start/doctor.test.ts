import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { preparedData } from './prepared.ts';
import { project, READY, startReckoner, temporaryFolder, trial, variables } from './support.ts';

/** `doctor` says one fix for each fault; `reset` begins the sandbox anew. */
async function run(words: readonly string[], settings: Record<string, string>) {
  const ran = trial(process.execPath, [join(project, 'bin', 'reckoner.js'), ...words], {
    cwd: project,
    env: variables(settings),
  });
  return { code: await ran.ended(), said: ran.output() };
}

it('of an installation that runs, everything is well', async () => {
  const data = await preparedData();
  const program = startReckoner({ DATA_DIR: data });
  await program.until(READY);
  const { code, said } = await run(['doctor'], { DATA_DIR: data });
  expect(said).not.toContain('✖');
  for (const about of ['schema', 'clock', 'parked jobs', 'server'])
    for (const environment of ['production', 'sandbox']) expect(said).toContain(`✔ ${environment}: ${about}`);
  expect(code).toBe(0);
  expect(await run(['reset', '--yes'], { DATA_DIR: data })).toMatchObject({ code: 1 }); // it is in use
});

it.each<[string, (data: string) => Record<string, string>, RegExp]>([
  [
    'nothing was ever started',
    () => ({ DATA_DIR: join(temporaryFolder(), 'none') }),
    /nothing is there yet\n +Fix: start/,
  ],
  ['a setting is wrong', (data) => ({ DATA_DIR: data, PORT: 'many' }), /✖ settings +PORT .*\n +Fix: npm run help/],
  ['nothing ran on the data', (data) => ({ DATA_DIR: data }), /✖ sandbox +was never .*\n +Fix: start it: npm start/],
])('says what to do where %s', async (_, settings, message) => {
  const { code, said } = await run(['doctor'], settings(await preparedData()));
  expect(said).toMatch(message);
  expect(code).toBe(1);
});

it('says who else can read the keys', async () => {
  const data = await preparedData();
  const program = startReckoner({ DATA_DIR: data, RECKONER_ENVIRONMENT: 'sandbox' });
  await program.until(READY);
  chmodSync(join(data, 'credentials.json'), 0o644);
  const { said } = await run(['doctor'], { DATA_DIR: data });
  expect(said).toMatch(/✖ credentials +others can read them\n +Fix: chmod 600/);
  expect(said).toMatch(/✔ production +was never started here/);
  expect(said).toMatch(/✔ sandbox: server/);
  program.child.kill('SIGTERM');
  await program.ended();
  expect((await run(['doctor'], { DATA_DIR: data })).said).toMatch(
    /✖ sandbox: server .* does not answer\n +Fix: start/,
  );
});

it('the sandbox is deleted only by --yes, and production is still there', async () => {
  const settings = { DATA_DIR: await preparedData() };
  expect(await run(['reset'], settings)).toMatchObject({
    code: 1,
    said: expect.stringContaining('npm run reset -- --yes'),
  });
  expect(await run(['reset', '--yes'], settings)).toMatchObject({ code: 0 });
  const program = startReckoner(settings);
  await program.until(READY);
  expect(program.output()).toMatch(/sandbox: schema migrated/);
});
