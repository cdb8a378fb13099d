import { type MetricTable, TARGET_LABELS } from './monitoring.ts';

const FUNCTIONS = new Set([
  ...['sum', 'max', 'min', 'avg', 'count', 'topk', 'rate', 'increase', 'histogram_quantile', 'absent'],
]);
const WORDS = new Set(['by', 'without', 'and', 'or', 'unless', 'on', 'ignoring', 'bool']);
const BEHIND_A_FUNCTION = new Set(['(', 'by', 'without']);
const TOKEN = /"(?:[^"\\]|\\.)*"|\[[^\]]*\]|\{[^}]*\}|[A-Za-z_:][\w:]*|\S/g;
const NAME = /^[A-Za-z_:]/;
const MATCHER = /\s*([A-Za-z_]\w*)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)/g;

/** What is wrong with the names in an expression of PromQL: metrics, labels, values and functions without a meaning. */
export function unknownNames(expression: string, table: MetricTable): string[] {
  const tokens = expression.match(TOKEN) ?? [];
  const problems: string[] = [];
  const known = new Set(TARGET_LABELS);
  for (const [place, token] of tokens.entries()) {
    if (!NAME.test(token) || isInGrouping(tokens, place) || WORDS.has(token)) continue;
    if (BEHIND_A_FUNCTION.has(tokens[place + 1] ?? '')) {
      if (!FUNCTIONS.has(token)) problems.push(`the function ${token}`);
      continue;
    }
    const labels = labelsOf(token, table);
    if (labels === null) {
      problems.push(`the metric ${token}`);
      continue;
    }
    for (const label of labels.keys()) known.add(label);
    const selector = tokens[place + 1]?.startsWith('{') ? (tokens[place + 1] as string).slice(1, -1) : '';
    problems.push(...selectorProblems(token, selector, labels));
  }
  const grouped = tokens.filter((token, place) => NAME.test(token) && isInGrouping(tokens, place));
  return [...problems, ...grouped.filter((label) => !known.has(label)).map((label) => `the label ${label}`)];
}

/** Does a token stand in the parentheses behind `by` or `without`? */
function isInGrouping(tokens: readonly string[], place: number): boolean {
  for (let back = place - 1; back > 0; back -= 1) {
    if (tokens[back] === '(') return tokens[back - 1] === 'by' || tokens[back - 1] === 'without';
    if (tokens[back] !== ',' && !NAME.test(tokens[back] as string)) return false;
  }
  return false;
}

type Labels = ReadonlyMap<string, readonly string[] | null>;

/** The labels of a metric with their values, if these are listed; null: there is no such metric. */
function labelsOf(token: string, table: MetricTable): Labels | null {
  const base = token.replace(/_(?:bucket|sum|count)$/, '');
  const entry = table[token] ?? (table[base]?.kind === 'histogram' ? table[base] : undefined);
  if (!entry || (entry.kind === 'histogram') !== (base !== token)) return null;
  const own = Object.entries(entry.labels).map(
    ([name, values]) => [name, typeof values === 'string' ? null : values] as const,
  );
  const bucket = token.endsWith('_bucket') ? [['le', null] as const] : [];
  return new Map([...own, ...bucket, ...TARGET_LABELS.map((name) => [name, null] as const)]);
}

function selectorProblems(metric: string, selector: string, labels: Labels): string[] {
  const matchers = [...selector.matchAll(MATCHER)];
  if (matchers.map(([text]) => text).join('') !== selector) return [`the selector {${selector}}`];
  return matchers.flatMap(([, name = '', operator, value = '']) => {
    const values = labels.get(name);
    if (values === undefined) return [`the label ${name} of ${metric}`];
    const isListed = values === null || operator?.endsWith('~') || values.includes(value);
    return isListed ? [] : [`the value ${value} of ${metric}{${name}}`];
  });
}
