import { describe, expect, it } from 'vitest';
import {
  againstTheRoad,
  againstTheRooms,
  crowdedFolders,
  cycles,
  deepImports,
  ENTRY_POINTS,
  importsOf,
  innerRoomOf,
  outOfTheHouse,
  ROAD,
  ROOMS,
  roomOf,
} from '../../scripts/checks/imports.ts';
import { isProgram, projectFiles, report } from '../../scripts/checks/project.ts';

const files = projectFiles();
const program = files.filter(isProgram);

describe('the program', () => {
  it('has no circle of imports', () => {
    expect(cycles(program.flatMap(importsOf))).toEqual([]);
  });

  it('enters a room by its index.ts alone', () => {
    expect(report(deepImports(files))).toEqual([]);
  });

  it('goes one way along the road', () => {
    expect(report(againstTheRoad(files))).toEqual([]);
  });

  it('keeps to the order of the rooms in its large domains', () => {
    expect(report(againstTheRooms(files))).toEqual([]);
  });

  it.each(Object.entries(ROOMS))('has the rooms of %s that are in its order', (domain, order) => {
    const paths = program.map(({ path }) => path).filter((path) => path.startsWith(`src/${domain}/`));
    expect(new Set(paths.map(innerRoomOf).filter((room) => room !== null))).toEqual(new Set(order));
  });

  it('has no crowded folder', () => expect(crowdedFolders(files)).toEqual([]));

  it('imports nothing that stands outside src', () => {
    expect(report(outOfTheHouse(files))).toEqual([]);
  });

  it('has each of the rooms on the road, and each entry point that is named', () => {
    expect(new Set(program.map(({ path }) => roomOf(path)))).toEqual(new Set(Object.keys(ROAD)));
    const used = new Set(program.flatMap(importsOf).map(({ to }) => to));
    expect(Object.keys(ENTRY_POINTS).filter((path) => !used.has(path))).toEqual([]);
  });

  it('has a road that never comes back to where it was', () => {
    expect(cycles(Object.entries(ROAD).flatMap(([from, to]) => to.map((each) => ({ from, to: each }))))).toEqual([]);
  });
});

describe('these checks see', () => {
  const file = (path: string, text: string) => ({ path, text });

  it.each([
    { how: 'an import', text: "import { b } from './b.ts';" },
    { how: 'an import of types', text: "import type { B } from './b.ts';" },
    { how: 'an export', text: "export { b } from './b.ts';" },
    { how: 'an export of everything', text: "export * from './b.ts';" },
    { how: 'an import at run time', text: "const b = await import('./b.ts');" },
  ])('$how', ({ text }) => {
    expect(importsOf(file('src/kernel/a.ts', `\n${text}`))).toEqual([
      { from: 'src/kernel/a.ts', to: 'src/kernel/b.ts', line: 2 },
    ]);
  });

  it('a circle over three files, and one of a file with itself', () => {
    const circle = [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'c' },
      { from: 'c', to: 'b' },
      { from: 'd', to: 'd' },
    ];
    expect(cycles(circle)).toEqual([['b', 'c'], ['d']]);
    expect(cycles(circle.slice(0, 2))).toEqual([]);
  });

  it.each([
    {
      what: 'another domain past its entry point',
      from: 'src/tax/a.ts',
      to: '../identity/users.ts',
      found: deepImports,
    },
    { what: 'a folder below a domain', from: 'src/tax/a.ts', to: '../catalog/plans/index.ts', found: deepImports },
    { what: 'the kernel importing the database', from: 'src/kernel/a.ts', to: '../db/index.ts', found: againstTheRoad },
    {
      what: 'downstream calling upstream',
      from: 'src/payments/a.ts',
      to: '../invoicing/index.ts',
      found: againstTheRoad,
    },
    { what: 'a room that is on no road', from: 'src/attic/a.ts', to: '../kernel/ids.ts', found: againstTheRoad },
    { what: 'tests used by the program', from: 'src/tax/a.ts', to: '../../test/support/edge.ts', found: outOfTheHouse },
    {
      what: 'a rule of invoicing importing a later room',
      from: 'src/invoicing/timeline/a.ts',
      to: '../issue/b.ts',
      found: againstTheRooms,
    },
    {
      what: 'a room of invoicing importing a file of its folder',
      from: 'src/invoicing/collecting/a.ts',
      to: '../routes.ts',
      found: againstTheRooms,
    },
    {
      what: 'what tests share used by the program',
      from: 'src/payments/a.ts',
      to: './testing/b.ts',
      found: outOfTheHouse,
    },
  ])('$what', ({ from, to, found }) => {
    expect(report(found([file(from, `import { x } from '${to}';`)]))).toHaveLength(1);
    expect(report(found([file(from, "import { x } from './own.ts';")]))).toEqual([]);
  });

  it('a folder of too many files', () => {
    const crowd = Array.from({ length: 26 }, (_, index) => file(`src/tax/a${index}.ts`, ''));
    expect(crowdedFolders(crowd)).toHaveLength(1);
    expect(crowdedFolders(crowd.slice(1))).toEqual([]);
  });

  it('a room in invoicing that is not in the order', () => {
    const attic = file('src/invoicing/attic/a.ts', "import { x } from '../../kernel/ids.ts';");
    expect(report(againstTheRooms([attic]))).toHaveLength(1);
  });

  it('an excuse that nothing needs', () => {
    expect(report([], { 'src/a.ts': 'because' })).toEqual(['src/a.ts is excused, but does nothing that needs it']);
  });
});
