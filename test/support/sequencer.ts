import { statSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest files, the slowest first. For all others the size is enough. */
export const LONGEST: readonly string[] = [
  'test/start/lifecycle.test.ts',
  'test/start/master-key.test.ts',
  'test/docs/pages.test.ts',
  'test/start/embedded.test.ts',
  'test/start/roles.test.ts',
  'test/crash/crash.test.ts',
  'test/lives/lives.test.ts',
  'test/properties/failpoints.test.ts',
  'test/properties/random-orders.test.ts',
  'test/properties/plan-changes.test.ts',
  'test/stories/mail-server.test.ts',
  'test/properties/numbering.test.ts',
  'test/properties/eight-workers.test.ts',
  'test/properties/balance.test.ts',
  'test/properties/events-orders.test.ts',
  'test/stories/one-advance.test.ts',
  'test/properties/revenue.test.ts',
  'test/stories/leaving.test.ts',
  'test/properties/catching-up.test.ts',
  'test/stories/whose-usage.test.ts',
  'test/stories/side-by-side.test.ts',
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

/** The same order on every machine: Vitest's own follows the last run, which a clean installation does not know. */
export class Sequencer extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const root = `${this.ctx.config.root}/`;
    const files = specifications.map((specification) => ({
      specification,
      path: specification.moduleId.replace(root, ''),
      bytes: statSync(specification.moduleId).size,
      isolate: specification.project.config.isolate,
    }));
    return files.toSorted(compareFiles).map(({ specification }) => specification);
  }
}
