/**
 * How many documents a second one core renders, and what happens to memory on the way.
 *
 * node bench/pdf-render.ts [documents]
 *
 * The limit is measured in the same run: the same views through the typesetter alone, on this thread, without a process
 * between; each has its e-invoice inside. What the renderer reaches of it is what queue, pipe and view cost. Every
 * document differs from every other.
 */
import { setImmediate } from 'node:timers/promises';
import { createCompiler } from '../src/documents/compile.ts';
import { createDocumentRenderer, type DocumentLine, eInvoiceOf, type InvoiceDocument } from '../src/documents/index.ts';
import { readPdf } from '../src/documents/testing/read-pdf.ts';
import { inputTokens, invoice, invoiceOf, platformFee, totalled } from '../src/documents/testing/samples.ts';
import { viewOf } from '../src/documents/view.ts';

const documents = Number(process.argv[2] ?? 2000);
const WARM_UP = 50;
/** With their tiers as many rows as a document may have. */
const LINES_OF_THE_LONGEST = 3125;
/** Documents that are asked for at once: as many as the runner of due work takes steps side by side. */
const LANES = 2;

const onePage = (index: number): InvoiceDocument =>
  totalled({
    ...invoice,
    number: `INV-${String(index).padStart(6, '0')}`,
    buyer: { ...invoice.buyer, name: `Customer ${index}` },
    lines: Array.from({ length: 8 }, (_, line): DocumentLine => {
      const { group: _group, ...usage } = inputTokens;
      const base = line % 3 === 0 ? platformFee : usage;
      return {
        ...base,
        description: `${base.description} ${line}`,
        quantity: `${1000 * line + index}`,
        amount: `${index}.${10 + line}`,
      };
    }),
  });

const xmlOf = (document: InvoiceDocument): string => {
  const made = eInvoiceOf(document);
  if (!('xml' in made)) throw new Error('The document has no e-invoice.');
  return made.xml;
};

const megabytes = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MB`;

async function typesetterAlone(count: number): Promise<number> {
  const compile = createCompiler();
  const requests = Array.from({ length: count + WARM_UP }, (_, index) => {
    const document = onePage(index);
    return { view: JSON.stringify(viewOf(document)), eInvoice: xmlOf(document), createdAtSeconds: index };
  });
  let started = 0;
  for (const [index, request] of requests.entries()) {
    if (index === WARM_UP) started = performance.now();
    compile(request);
    await setImmediate(); // the binding lets go of a document only when the event loop turns
  }
  return (count * 1000) / (performance.now() - started);
}

async function throughTheRenderer(count: number): Promise<{ perSecond: number; memory: number[] }> {
  const memory: number[] = [];
  const renderer = createDocumentRenderer({
    documentsPerProcess: Number.MAX_SAFE_INTEGER, // growth is what we want to see
    onEvent: (event) => {
      if (event.kind === 'rendered') memory.push(event.memoryBytes);
    },
  });
  for (let index = 0; index < WARM_UP; index += 1) await renderer.render(onePage(index));
  const started = performance.now();
  let made = 0;
  const lane = async (): Promise<void> => {
    while (made < count) {
      made += 1;
      await renderer.render(onePage(WARM_UP + made));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const perSecond = (count * 1000) / (performance.now() - started);
  await renderer.close();
  return { perSecond, memory };
}

let longestBytes = 0;
const renderer = createDocumentRenderer({
  onEvent: (event) => {
    if (event.kind === 'rendered') longestBytes = event.memoryBytes;
  },
});
const first = performance.now();
const pages = readPdf(await renderer.render(onePage(0))).pages.length;
const firstMilliseconds = performance.now() - first;
const long = performance.now();
const longPages = readPdf(await renderer.render(invoiceOf(400))).pages.length;
const longMilliseconds = performance.now() - long;
const longest = performance.now();
const longestPages = readPdf(await renderer.render(invoiceOf(LINES_OF_THE_LONGEST))).pages.length;
const longestMilliseconds = performance.now() - longest;
await renderer.close();

const limit = await typesetterAlone(Math.min(documents, 500));
const { perSecond, memory } = await throughTheRenderer(documents);
const [early, late] = [memory[WARM_UP + Math.floor(documents / 10)] as number, memory.at(-1) as number];

console.log(`document                ${pages} page, 8 lines`);
console.log(`first document          ${Math.round(firstMilliseconds)} ms, the start of the process included`);
console.log(`400 lines, ${longPages} pages     ${Math.round(longMilliseconds)} ms`);
console.log(
  `${LINES_OF_THE_LONGEST} lines, ${longestPages} pages  ${Math.round(longestMilliseconds)} ms, ${megabytes(longestBytes)} afterwards`,
);
console.log(`typesetter alone        ${limit.toFixed(0)} documents/s (the limit)`);
console.log(
  `through the renderer    ${perSecond.toFixed(0)} documents/s, ${((perSecond / limit) * 100).toFixed(0)} % of the limit; target 100`,
);
console.log(
  `memory of the process   ${megabytes(early)} after a tenth, ${megabytes(late)} after ${documents}; ${megabytes(Math.max(...memory))} at most`,
);
