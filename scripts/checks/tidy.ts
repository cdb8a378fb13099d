import { type Finding, isTest, lineAt, type SourceFile } from './project.ts';
import { dotted, nodesOf, parse } from './syntax.ts';

const isCode = ({ path }: SourceFile): boolean => /\.[jt]s$/.test(path) && !path.endsWith('.d.ts');

// Put together, so that this file does not name what it looks for.
const MARKERS = new RegExp(`\\b(?:${['TODO', 'FIXME', 'XXX', 'HACK'].join('|')})\\b`, 'g');

/** Notes to do something later: in the comments of code, anywhere in other files. */
export function leftForLater(files: readonly SourceFile[]): Finding[] {
  return files.flatMap((file) => {
    const texts = isCode(file)
      ? parse(file).comments.map(({ value, start }) => ({ value, start }))
      : [{ value: file.text, start: 0 }];
    return texts.flatMap(({ value, start }) =>
      [...value.matchAll(MARKERS)].map((match) => ({
        path: file.path,
        line: lineAt(file.text, start + match.index),
        what: `says ${match[0]}`,
      })),
    );
  });
}

const MACHINE_PATH = new RegExp(
  `(?<![\\w.:/*$}\\]-])/(?:${['work', 'tmp', 'root', 'home/\\w+', 'Users/\\w+'].join('|')})(?![\\w-])`,
  'g',
);

/** Paths that mean something on one machine alone. */
export function machinePaths(files: readonly SourceFile[]): Finding[] {
  return files.flatMap((file) =>
    [...file.text.matchAll(MACHINE_PATH)].map((match) => ({
      path: file.path,
      line: lineAt(file.text, match.index),
      what: `names ${match[0]}`,
    })),
  );
}

const LEFT_OUT =
  /^(?:it|test|describe|suite)(?:\.\w+)*\.(?:only|skip|todo|fails)(?:\.\w+)*$|^(?:xit|xtest|xdescribe|fit|fdescribe)$/;

/** Tests that do not run, or that keep others from running; and files of tests without one. */
export function testsLeftOut(files: readonly SourceFile[]): Finding[] {
  return files.filter(isTest).flatMap((file) => {
    const calls = nodesOf(file).filter(({ type }) => type === 'CallExpression' || type === 'TaggedTemplateExpression');
    const names = calls.map((node) => ({ name: dotted(node.callee ?? node.tag), start: node.start }));
    const found = names
      .filter(({ name }) => LEFT_OUT.test(name))
      .map(({ name, start }) => ({ path: file.path, line: lineAt(file.text, start), what: `has ${name}` }));
    if (!names.some(({ name }) => /^(?:it|test)(?:\.|$)/.test(name)))
      found.push({ path: file.path, line: 1, what: 'has no test' });
    return found;
  });
}

const WIDEST = 120;
const DIRECTIVE = /biome-ignore|oxlint-disable|@ts-expect-error/;

/** Comments and prose that reach beyond column 120. Tables, commands and addresses in Markdown may. */
export function wideProse(files: readonly SourceFile[]): Finding[] {
  return files.flatMap((file) =>
    proseLinesOf(file)
      .filter(({ text }) => [...text].length > WIDEST && !DIRECTIVE.test(text))
      .map(({ line }) => ({ path: file.path, line, what: `is wider than ${WIDEST} columns` })),
  );
}

/** The lines of a file that hold a comment, or prose. */
function proseLinesOf(file: SourceFile): readonly { readonly text: string; readonly line: number }[] {
  const lines = file.text.split('\n').map((text, index) => ({ text, line: index + 1 }));
  if (isCode(file)) {
    const ofComments = parse(file).comments.flatMap(({ start, end }) => {
      const [first, last] = [lineAt(file.text, start), lineAt(file.text, end)];
      return lines.slice(first - 1, last);
    });
    return [...new Set(ofComments)];
  }
  if (file.path.endsWith('.sql')) return lines.filter(({ text }) => /^\s*--/.test(text));
  if (/\.(?:sh|yml|yaml)$|^\.ci\/run$/.test(file.path)) return lines.filter(({ text }) => /^\s*#/.test(text));
  if (!file.path.endsWith('.md')) return [];
  let isFenced = false;
  return lines.filter(({ text }) => {
    const isFence = /^\s*```/.test(text);
    if (isFence) isFenced = !isFenced;
    return !isFence && !isFenced && !/^\s*\||\]\([^)]*$|https?:\/\/\S{40}/.test(text);
  });
}
