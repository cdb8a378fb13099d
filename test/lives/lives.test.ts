import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { live } from './drive.ts';
import { generate, type Switches } from './generate.ts';
import { judge } from './judge.ts';
import type { Life } from './life.ts';
import { asText, shrink } from './shrink.ts';

/**
 * Random lives of subscriptions through HTTP, held against an oracle that shares no code with the program. `LIVES` says how
 * many, `SEED` with which one to begin, `LAYER` of which layer alone, `KEEP` a folder for the lives that fail.
 */
const LIVES = Number(process.env.LIVES ?? 100);
const SEED = Number(process.env.SEED ?? 1);
const KEEP = process.env.KEEP;
const SHRINKS = Number(process.env.SHRINKS ?? 120);
const SIDE_BY_SIDE = 6;

let env: TestEnvironment;
beforeAll(async () => {
  env = await openTestEnvironment({ audited: false });
});
afterAll(() => env.close());

const layers: readonly Switches[] = [{ layer: 1, isTame: true }, { layer: 1 }, { layer: 2 }, { layer: 3 }].filter(
  ({ layer }) => process.env.LAYER === undefined || Number(process.env.LAYER) === layer,
) as Switches[];

async function faultsOf(life: Life): Promise<string[]> {
  try {
    return judge(life, await live(env, life));
  } catch (thrown) {
    return [`thrown: ${(thrown as Error).stack}`];
  }
}

const kindOf = (fault: string): string => fault.split(/[ :]/)[0] as string;

it.each(layers)('Lives of layer $layer are billed what they owe', { timeout: 3_600_000 }, async (switches) => {
  const seeds = Array.from({ length: Math.ceil(LIVES / layers.length) }, (_, index) => SEED + index);
  const failing: string[] = [];
  const next = async (): Promise<void> => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      const life = generate(seed, switches);
      const faults = await faultsOf(life);
      if (faults.length === 0) continue;
      const kind = kindOf(faults[0] as string);
      const smallest = await shrink(
        life,
        async (each) => (await faultsOf(each)).some((fault) => kindOf(fault) === kind),
        SHRINKS,
      );
      const text = `${(await faultsOf(smallest)).join('\n')}\n${asText(smallest)}`;
      failing.push(`seed ${seed}, layer ${switches.layer}: ${text}`);
      if (KEEP !== undefined) {
        mkdirSync(KEEP, { recursive: true });
        writeFileSync(join(KEEP, `${switches.layer}${switches.isTame ? 't' : ''}-${seed}.txt`), text);
      }
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, next));
  expect(failing.join('\n\n')).toBe('');
});
