import { describe, expect, it } from 'vitest';
import { withoutDocstring } from '../../scripts/checks/docstrings.ts';
import { type Exceptions, projectFiles, report } from '../../scripts/checks/project.ts';
import { leftForLater, machinePaths, testsLeftOut, wideProse } from '../../scripts/checks/tidy.ts';

const files = projectFiles();

const UNIX_FOLDERS: Exceptions = {
  'src/db/embedded/socket-directory.ts': 'a socket’s path must be short; this folder is on every Unix',
  'scripts/ensure-installed.test.ts': 'the folder of an example',
  'test/checks/tidy.test.ts': 'the examples of this test',
};

const PRINTED: Exceptions = {
  'docs/schema.sql': 'as PostgreSQL prints it',
};

describe('the project', () => {
  it('leaves nothing for later', () => expect(report(leftForLater(files))).toEqual([]));

  it('names no path of one machine', () => expect(report(machinePaths(files), UNIX_FOLDERS)).toEqual([]));

  it('keeps comments and prose within 120 columns', () => expect(report(wideProse(files), PRINTED)).toEqual([]));

  it('runs each of its tests', () => expect(report(testsLeftOut(files))).toEqual([]));

  it('says what each public function means', () => expect(report(withoutDocstring(files))).toEqual([]));
});

describe('these checks see', () => {
  const marker = ['TO', 'DO'].join('');

  it.each([
    { path: 'src/a.ts', text: `const a = 1; // ${marker}: later` },
    { path: 'src/a.ts', text: `/* ${marker} */` },
    { path: 'docs/a.md', text: `# Later\n\n${marker}` },
    { path: 'migrations/a.sql', text: `-- ${marker}` },
  ])('a note for later in $path: $text', ({ path, text }) => {
    expect(leftForLater([{ path, text }])).toHaveLength(1);
  });

  it('no note in a string, or in a longer word', () => {
    expect(leftForLater([{ path: 'src/a.ts', text: `const a = '${marker}'; // ${marker}S are fine` }])).toEqual([]);
  });

  it.each(["read('/tmp/a')", 'cd /work && ls', '`/root/a`', '"/home/ada/x"', '(/Users/ada)'])(
    'a path of one machine in: %s',
    (text) => expect(machinePaths([{ path: 'a.md', text }])).toHaveLength(1),
  );

  it.each(["get('/v0/home/ada')", "join(folder, 'tmp/x')", 'https://example.com/work', '/works', '../work/x'])(
    'no such path in: %s',
    (text) => expect(machinePaths([{ path: 'a.md', text }])).toEqual([]),
  );

  const wide = 'word '.repeat(30);

  it.each([
    { path: 'src/a.ts', text: `// ${wide}` },
    { path: 'src/a.ts', text: `const a = 1; /* ${wide} */` },
    { path: 'src/a.ts', text: `/**\n * ${wide}\n */` },
    { path: 'migrations/a.sql', text: `-- ${wide}` },
    { path: 'scripts/a.sh', text: `# ${wide}` },
    { path: 'docs/a.md', text: `# A\n\n${wide}` },
  ])('a wide line of prose in $path: $text', ({ path, text }) => expect(wideProse([{ path, text }])).toHaveLength(1));

  it.each([
    { path: 'src/a.ts', text: `const a = '${wide}';` },
    { path: 'src/a.ts', text: `// biome-ignore format: ${wide}` },
    { path: 'docs/a.md', text: `| ${wide} |` },
    { path: 'docs/a.md', text: `\`\`\`sh\n${wide}\n\`\`\`` },
    { path: 'docs/a.md', text: `See https://example.com/${'x'.repeat(120)}` },
  ])('none in $path: $text', ({ path, text }) => expect(wideProse([{ path, text }])).toEqual([]));

  it.each([
    "it.skip('a', () => {}); it('b', () => {});",
    "it.only('a', () => {});",
    "describe.skip('a', () => { it('b', () => {}); });",
    "it.todo('a');",
    "it.skip.each([1])('a', () => {});",
    "it.concurrent.only('a', () => {});",
    "test.fails('a', () => {});",
    "xit('a', () => {}); it('b', () => {});",
    "describe('a', () => {});",
  ])('a test left out in: %s', (text) => {
    expect(testsLeftOut([{ path: 'src/a.test.ts', text }])).toHaveLength(1);
  });

  it.each([
    "it('a', () => {});",
    "it.each([1])('a', () => {});",
    "describe('a', () => { it.each`a`('b', () => {}); });",
  ])('nothing left out in: %s', (text) => expect(testsLeftOut([{ path: 'src/a.test.ts', text }])).toEqual([]));

  it.each([
    { path: 'src/tax/a.ts', text: 'export function a() {}' },
    { path: 'src/tax/a.ts', text: 'export const a = () => 1;' },
    { path: 'src/tax/a.ts', text: '/* a */\nexport async function a() {}' },
    { path: 'src/tax/a.ts', text: '/** b */\nconst b = 1;\nexport const a = () => b;' },
  ])('a function without a docstring in: $text', ({ path, text }) => {
    expect(withoutDocstring([{ path, text }])).toHaveLength(1);
  });

  it.each([
    { path: 'src/tax/a.ts', text: '/** What a means. */\nexport function a() {}' },
    { path: 'src/tax/a.ts', text: 'export const a = 1; const b = () => 2; function c() {}' },
    { path: 'src/tax/a.sql.ts', text: 'export const a = () => 1;' },
    { path: 'src/tax/a.test.ts', text: 'export const a = () => 1;' },
  ])('none missing in $path: $text', ({ path, text }) => expect(withoutDocstring([{ path, text }])).toEqual([]));

  it('a statement without a docstring that is handed to other domains', () => {
    const index = { path: 'src/tax/index.ts', text: "export { a } from './a.sql.ts';" };
    const text = 'export const a = () => 1; export const b = () => 2;';
    expect(report(withoutDocstring([index, { path: 'src/tax/a.sql.ts', text }]))).toEqual([
      'src/tax/a.sql.ts:1 a has no docstring',
    ]);
  });
});
