import { type Finding, isProgram, lineAt, type SourceFile } from './project.ts';
import { isNode, type Node, nameOf, nodesOf, parse } from './syntax.ts';

/**
 * The verbs of statements (decision 0175). `lock` waits for rows and holds them, `claim` takes a row that no other
 * worker has, `mark` writes one fact about a row, `replace` deletes and inserts, `schedule` inserts background work.
 */
export const VERBS = [
  ...['select', 'count', 'sum', 'is', 'has'],
  ...['lock', 'claim'],
  ...['insert', 'upsert', 'update', 'mark', 'replace', 'delete', 'schedule'],
] as const;

/**
 * Exported statements of a `*.sql.ts` whose names begin with another verb. A statement takes the transaction first. One
 * that calls a function of the database may begin as that function does: `drawNumbers` calls `draw_numbers`.
 */
export function statementsWithOtherVerbs(files: readonly SourceFile[]): Finding[] {
  return files
    .filter((file) => isProgram(file) && file.path.endsWith('.sql.ts'))
    .flatMap((file) =>
      exportedFunctions(file)
        .filter(({ node }) => takesTransaction(node))
        .filter(({ name, node }) => !hasVerb(name, file.text.slice(node.start, node.end)))
        .map(({ name, node }) => ({
          path: file.path,
          line: lineAt(file.text, node.start),
          what: `${name} does not begin with the verb of a statement`,
        })),
    );
}

function hasVerb(name: string, text: string): boolean {
  const verb = /^[a-z]+/.exec(name)?.[0] ?? '';
  return VERBS.some((each) => each === verb) || new RegExp(`\\b${verb}_[a-z_]+\\(`).test(text);
}

/** Verbs of loading that only the rooms of a domain use: other domains `find`. */
const INNER = /^(?:select|get|load|fetch)[A-Z]/;

/** Functions that an `index.ts` hands to other domains under a verb of its own statements. */
export function innerVerbsInIndexes(files: readonly SourceFile[]): Finding[] {
  return files
    .filter(({ path }) => /^src\/[^/]+\/index\.ts$/.test(path))
    .flatMap((file) =>
      parse(file).module.staticExports.flatMap(({ entries }) =>
        entries
          .filter(({ isType, exportName }) => !isType && INNER.test(exportName.name ?? ''))
          .map(({ start, exportName }) => ({
            path: file.path,
            line: lineAt(file.text, start),
            what: `${exportName.name} is found by other domains: find…`,
          })),
      ),
    );
}

interface NamedFunction {
  readonly name: string;
  readonly node: Node;
}

function exportedFunctions(file: SourceFile): NamedFunction[] {
  const body = parse(file).program.body as readonly Node[];
  return body
    .filter(({ type }) => type === 'ExportNamedDeclaration')
    .flatMap(({ declaration }): NamedFunction[] => {
      if (!isNode(declaration)) return [];
      if (declaration.type === 'FunctionDeclaration') return [{ name: nameOf(declaration.id), node: declaration }];
      const variables = (declaration.declarations ?? []) as readonly Node[];
      return variables.flatMap(({ id, init }) =>
        isNode(init) && init.type === 'ArrowFunctionExpression' ? [{ name: nameOf(id), node: init }] : [],
      );
    });
}

function takesTransaction({ params }: Node): boolean {
  const [first] = params as readonly Node[];
  return first !== undefined && ['tx', 'database'].includes(nameOf(first));
}

const ENDINGS = { body: 'Body', query: 'Query', replies: 'Reply', of: 'Reply' } as const;
const FORMS = ['get', 'post', 'put', 'patch', 'delete', 'list'];

/** Schemas in the declarations of routes that do not say by their ending what they describe: …Body, …Query, …Reply. */
export function schemasWithOtherEndings(files: readonly SourceFile[]): Finding[] {
  return files.filter(isProgram).flatMap((file) =>
    nodesOf(file)
      .filter(isRoute)
      .flatMap((call) =>
        schemasOf(call)
          .filter(({ schema, ending }) => !nameOf(schema).endsWith(ending))
          .map(({ schema, ending }) => ({
            path: file.path,
            line: lineAt(file.text, schema.start),
            what: `${nameOf(schema)} is a schema of a ${ending.toLowerCase()}: …${ending}`,
          })),
      ),
  );
}

/** A call such as `api.get(path, operationId, declaration)`. */
const isRoute = ({ type, callee, arguments: given }: Node): boolean =>
  type === 'CallExpression' &&
  isNode(callee) &&
  FORMS.includes(nameOf(callee.property)) &&
  (given as readonly Node[]).length === 3;

/** The schemas that a declaration names; a list of them counts as them. Types of content, in capitals, are none. */
function schemasOf(call: Node): { readonly schema: Node; readonly ending: string }[] {
  const [, , declaration] = call.arguments as readonly Node[];
  return propertiesOf(declaration).flatMap(({ key, value }) => {
    const name = nameOf(key);
    if (!Object.hasOwn(ENDINGS, name) || !isNode(value)) return [];
    const ending = ENDINGS[name as keyof typeof ENDINGS];
    const named = name === 'replies' ? propertiesOf(value).map((reply) => reply.value as Node) : [value];
    return named
      .flatMap((node) => (node.type === 'CallExpression' ? (node.arguments as readonly Node[]) : [node]))
      .filter((node) => /^[A-Z]+[a-z]/.test(nameOf(node)))
      .map((schema) => ({ schema, ending }));
  });
}

const propertiesOf = (object: unknown): readonly Node[] =>
  isNode(object) && object.type === 'ObjectExpression'
    ? (object.properties as readonly Node[]).filter(({ type }) => type === 'Property')
    : [];

/** Functions that make an answer and do not say so: `present…` and `…Out` are `to…Reply`. */
export function presentersWithOtherNames(files: readonly SourceFile[]): Finding[] {
  return files.filter(isProgram).flatMap((file) =>
    nodesOf(file)
      .filter(
        ({ type, init }) =>
          type === 'FunctionDeclaration' ||
          (type === 'VariableDeclarator' && isNode(init) && init.type === 'ArrowFunctionExpression'),
      )
      .filter(({ id }) => /^present(?:[A-Z]|$)|^[a-z]\w*Out$/.test(nameOf(id)))
      .map(({ id, start }) => ({
        path: file.path,
        line: lineAt(file.text, start),
        what: `${nameOf(id)} makes a reply: to…Reply`,
      })),
  );
}
