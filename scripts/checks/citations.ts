import { type Finding, lineAt, type SourceFile } from './project.ts';

/** The pages of `docs/specification` that comments cite by their short names. */
const CITED_PAGES = ['interface', 'domain', 'api', 'commercial', 'invariants'] as const;
type CitedPage = (typeof CITED_PAGES)[number];

/** The text of each page. */
export type Specification = Readonly<Record<CitedPage, string>>;

const BARE_PAGE = /(?<![\w/.-])([a-z]+)\.md\b/g;
const SECTION = /(?<page>(?:interface|domain|api|commercial)\.md |RFC \d+ |\w+ )?§(?<section>\d+)/g;
const HEADING = /(?<=api\.md, )[A-Z][^.;:)*`§\n]*/g;
const OPERATION = /^(?:POST|GET|PUT|PATCH|DELETE) [/…]/;
const INVARIANT = /\bI-\d+\b/g;

/**
 * Citations of the specification that lead nowhere: pages, sections (`§4`, `domain.md §4`), headings (`api.md, Lists`)
 * and invariants (`I-29`).
 */
export function danglingCitations(files: readonly SourceFile[], pages: Specification): Finding[] {
  const sections = {
    interface: sectionsOf(pages.interface),
    domain: sectionsOf(pages.domain),
    commercial: sectionsOf(pages.commercial),
    api: new Set<string>(),
  };
  const headings = [...pages.api.matchAll(/^##+ (.+)$/gm)].map(([, heading = '']) => heading);
  const invariants = new Set(pages.invariants.match(INVARIANT));
  return files
    .filter(({ path }) => /\.(?:md|ts|js|sql|typ)$/.test(path) && !path.startsWith('test/checks/'))
    .flatMap((file) => {
      const found = (match: RegExpExecArray): Finding => ({
        path: file.path,
        line: lineAt(file.text, match.index),
        what: `cites ${match[0].trim()}, which the specification does not have`,
      });
      const isOther = file.path.endsWith('.md') || file.path.endsWith('.test.ts'); // links of pages, examples in tests
      const bare = isOther ? [] : [...file.text.matchAll(BARE_PAGE)];
      return [
        ...bare.filter(([, name]) => !CITED_PAGES.includes(name as CitedPage)),
        ...[...file.text.matchAll(SECTION)].filter(({ groups }) => {
          const page = /^(\w+)\.md /.exec(groups?.page ?? '')?.[1] ?? 'interface';
          if (groups?.page?.startsWith('RFC ')) return false;
          return !sections[page as keyof typeof sections].has(groups?.section ?? '');
        }),
        ...[...file.text.matchAll(HEADING)].filter(
          ([name]) => !OPERATION.test(name) && !headings.some((heading) => name.startsWith(heading)),
        ),
        ...[...file.text.matchAll(INVARIANT)].filter(([name]) => !invariants.has(name)),
      ].map(found);
    });
}

/** The numbers of the numbered sections of a page. */
const sectionsOf = (page: string): ReadonlySet<string> =>
  new Set([...page.matchAll(/^## (\d+)\. /gm)].map(([, number = '']) => number));
