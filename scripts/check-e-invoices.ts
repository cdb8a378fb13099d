import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { eInvoiceOf } from '../src/documents/index.ts';
import { eInvoiceCases } from '../src/documents/testing/e-invoice-cases.ts';

/**
 * Holds official rules against our e-invoices: `node scripts/check-e-invoices.ts --saxon Saxon-HE.jar rules.xslt …`.
 * The rules are compiled Schematron, which is too large to keep here, and under a licence of its own: of EN 16931
 * `cii/xslt/EN16931-CII-validation.xslt` (github.com/ConnectingEurope/eInvoicing-EN16931), of XRechnung the one in its
 * releases (github.com/itplr-kosit/xrechnung-schematron). They need Java and Saxon-HE. `--e-invoices folder` takes the
 * XML files of a folder in place of the documents in `src/documents/testing/e-invoice-cases.ts`. Run by hand where the
 * e-invoice changes or the rules do. Exits with 1 where a rule is broken; warnings are printed and break nothing.
 */
const { values, positionals: rules } = parseArgs({
  options: { saxon: { type: 'string' }, 'e-invoices': { type: 'string' } },
  allowPositionals: true,
});
const { saxon } = values;
if (saxon === undefined || rules.length === 0) throw new Error('Name the jar of Saxon, and compiled rules.');

/** A rule that does not hold: its attributes, and what it says. */
const FINDING = /<svrl:failed-assert([^>]*)>(.*?)<\/svrl:failed-assert>/gs;

const work = mkdtempSync(join(tmpdir(), 'e-invoices-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
const source = values['e-invoices'] ?? writeCases(join(work, 'cases'));

for (const [index, rule] of rules.entries()) {
  const reports = join(work, `reports-${index}`);
  mkdirSync(reports);
  const { status, stderr } = spawnSync(
    'java',
    ['-cp', saxon, 'net.sf.saxon.Transform', `-s:${source}`, `-xsl:${rule}`, `-o:${reports}`],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`Saxon failed: ${stderr}`);
  report(basename(rule), reports);
}

/** The e-invoice of each case as a file. */
function writeCases(folder: string): string {
  mkdirSync(folder);
  for (const [name, document] of Object.entries(eInvoiceCases)) {
    const made = eInvoiceOf(document);
    if (!('xml' in made)) throw new Error(`${name} has no e-invoice: ${JSON.stringify(made)}`);
    writeFileSync(join(folder, `${name}.xml`), made.xml);
  }
  return folder;
}

/** Prints what the reports of some rules (SVRL) found. */
function report(rule: string, folder: string): void {
  const files = readdirSync(folder);
  const fired = new Set<string>();
  const findings = new Map<string, string[]>();
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8');
    for (const [, context = ''] of text.matchAll(/<svrl:fired-rule[^>]*?context="([^"]*)"/g)) fired.add(context);
    for (const [, attributes = '', words = ''] of text.matchAll(FINDING)) {
      const [id, flag] = ['id', 'flag'].map((name) => new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? '');
      const key = `${flag === '' ? 'fatal' : flag} ${id}: ${words.replace(/<[^>]*>|\s+/g, ' ').trim()}`;
      findings.set(key, [...(findings.get(key) ?? []), file.replace('.xml', '')]);
    }
  }
  console.log(`${rule}: ${files.length} e-invoices, ${fired.size} contexts of rules, ${findings.size} findings`);
  for (const [key, where] of [...findings].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    console.log(`  ${key}\n    ${where.length}: ${where.slice(0, 8).join(', ')}`);
    if (key.startsWith('fatal')) process.exitCode = 1;
  }
}
