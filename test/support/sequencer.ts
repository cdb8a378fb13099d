import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { SEED } from './seed.ts';

/** The slowest files, the slowest first. For all others the size is enough. */
export const LONGEST: readonly string[] = [
  'test/start/lifecycle.test.ts',
  'test/start/master-key.test.ts',
  'test/docs/pages.test.ts',
  'test/start/embedded.test.ts',
  'test/start/roles.test.ts',
  'test/crash/crash.test.ts',
  'test/lives/lives.test.ts',
  'test/api/tenants.test.ts',
  'test/api/statuses.test.ts',
  'test/properties/failpoints.test.ts',
  'test/properties/random-orders.test.ts',
  'test/properties/provider-notices.test.ts',
  'test/properties/balance.test.ts',
  'test/stories/mail-server.test.ts',
  'test/stories/whose-usage.test.ts',
  'test/stories/quantities.test.ts',
  'test/stories/leaving.test.ts',
  'test/properties/numbering.test.ts',
  'test/stories/one-advance.test.ts',
  'test/fuzz/no-input-is-a-fault.test.ts',
  'test/stories/sign-up.test.ts',
  'test/properties/plan-changes.test.ts',
  'test/stories/upfront.test.ts',
  'test/stories/dunning.test.ts',
  'test/stories/grants.test.ts',
  'test/stories/crossings-cuts.test.ts',
  'test/stories/crossings-usage.test.ts',
  'test/properties/eight-workers.test.ts',
  'test/stories/stripe.test.ts',
  'test/stories/crossings-preview.test.ts',
];

/** A file as the order sees it: its path in the project, its size, and whether it has a process of its own. */
export interface TestFile {
  readonly path: string;
  readonly bytes: number;
  readonly isolate: boolean;
}

/**
 * Decides which of two files runs first. Files with a process of their own come first, because a worker keeps its
 * modules only while files that share them follow. Then the slowest, so that no worker is left alone with a slow file.
 * Pure.
 */
export function compareFiles(one: TestFile, other: TestFile): number {
  if (one.isolate !== other.isolate) return one.isolate ? -1 : 1;
  return placeOf(one) - placeOf(other) || other.bytes - one.bytes || (one.path < other.path ? -1 : 1);
}

function placeOf({ path }: TestFile): number {
  const place = LONGEST.indexOf(path);
  return place === -1 ? LONGEST.length : place;
}

/** Decides which of two files runs first in the random order of a seed. Pure. */
export function compareAtRandom(seed: number): (one: TestFile, other: TestFile) => number {
  const place = ({ path }: TestFile): string => createHash('sha256').update(`${seed} ${path}`).digest('hex');
  return (one, other) => (place(one) < place(other) ? -1 : 1);
}

/**
 * The same order on every machine: Vitest's own follows the last run, which a clean installation does not know.
 * `ORDER=random` takes the random order of `SEED`, to find files that depend on earlier ones.
 */
export class Sequencer extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const root = `${this.ctx.config.root}/`;
    const files = specifications.map((specification) => ({
      specification,
      path: specification.moduleId.replace(root, ''),
      bytes: statSync(specification.moduleId).size,
      isolate: specification.project.config.isolate,
    }));
    const compare = process.env.ORDER === 'random' ? compareAtRandom(SEED) : compareFiles;
    return files.toSorted(compare).map(({ specification }) => specification);
  }
}
