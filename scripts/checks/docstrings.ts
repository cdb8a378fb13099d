import { posix } from 'node:path';
import { type Finding, isProgram, lineAt, type SourceFile } from './project.ts';
import { isNode, type Node, nameOf, parse } from './syntax.ts';

/**
 * Public functions without a docstring: those that a file exports. Statements (`*.sql.ts`) are their domain's own and
 * say what they do in SQL, unless the domain's `index.ts` hands them out.
 */
export function withoutDocstring(files: readonly SourceFile[]): Finding[] {
  const handedOut = new Set(files.filter(({ path }) => /^src\/[^/]+\/index\.ts$/.test(path)).flatMap(namesHandedOut));
  return files.filter(isProgram).flatMap((file) => {
    const { program, comments, text } = parse(file);
    const docstrings = comments.filter(({ type, value }) => type === 'Block' && value.startsWith('*'));
    const hasOne = (node: Node) =>
      docstrings.some(({ end }) => end <= node.start && /^\s*$/.test(text.slice(end, node.start)));
    const statements = program.body as readonly Node[];
    return statements
      .filter((node) => node.type === 'ExportNamedDeclaration' || node.type === 'ExportDefaultDeclaration')
      .filter((node) => !hasOne(node))
      .flatMap((node) =>
        functionsIn(node.declaration)
          .filter((name) => !file.path.endsWith('.sql.ts') || handedOut.has(`${file.path} ${name}`))
          .map((name) => ({ path: file.path, line: lineAt(text, node.start), what: `${name} has no docstring` })),
      );
  });
}

/** What an index.ts exports of other files, each as the file's path and the name in it. */
function namesHandedOut(index: SourceFile): string[] {
  const folder = posix.dirname(index.path);
  return parse(index)
    .module.staticExports.flatMap(({ entries }) => entries)
    .filter(({ moduleRequest }) => moduleRequest !== null)
    .map(({ moduleRequest, importName }) => `${posix.join(folder, moduleRequest?.value ?? '')} ${importName.name}`);
}

function functionsIn(declaration: unknown): string[] {
  if (!isNode(declaration)) return [];
  if (/^(?:TSDeclare)?Function(?:Declaration)?$/.test(declaration.type)) return [nameOf(declaration.id)];
  if (declaration.type !== 'VariableDeclaration') return [];
  const declarators = declaration.declarations as readonly Node[];
  return declarators
    .filter(({ init }) => isNode(init) && /^(?:ArrowFunction|Function)Expression$/.test(init.type))
    .map(({ id }) => nameOf(id));
}
