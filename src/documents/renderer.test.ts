import { afterEach, expect, it } from 'vitest';
import type { PrintedDocument } from './document.ts';
import { createDocumentRenderer, type DocumentRenderer, type RendererEvent, type RendererOptions } from './index.ts';
import { MOST_ROWS, rowsOf } from './size.ts';
import { readPdf } from './testing/read-pdf.ts';
import { creditNote, invoice, invoiceOf, platformFee } from './testing/samples.ts';

const open: DocumentRenderer[] = [];
afterEach(() => Promise.all(open.splice(0).map((renderer) => renderer.close())));

/** A renderer with recorded events. Its first `stopped` processes get a signal as soon as they start. */
function renderer(options: RendererOptions = {}, signal: 'SIGKILL' | 'SIGSTOP' = 'SIGKILL', stopped = 0) {
  const events: RendererEvent[] = [];
  const processes: number[] = [];
  const made = createDocumentRenderer({
    ...options,
    onEvent: (event) => {
      if (event.kind !== 'rendered') events.push(event);
      if (event.kind !== 'started') return;
      processes.push(event.processId);
      if (processes.length <= stopped) process.kill(event.processId, signal);
    },
  });
  open.push(made);
  return {
    render: (document: PrintedDocument) => made.render(document),
    close: () => made.close(),
    events,
    processes,
    kinds: () => events.map(({ kind }) => kind),
  };
}

const alive = (processId: number): boolean => {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
};

it('renders documents asked for at once, each its own', async () => {
  const { render, processes } = renderer();
  const [first, second, again] = await Promise.all([render(invoice), render(creditNote), render(invoice)]);
  expect(readPdf(first).pages[0]).toContain('INV-000123');
  expect(readPdf(second).pages[0]).toContain('CN-000004');
  expect(Buffer.compare(first, again)).toBe(0);
  expect(processes).toHaveLength(1);
});

it.each([
  { what: 'a PNG', logo: { format: 'png' as const, width: 9, height: 9, content: Buffer.from('no picture') } },
  { what: 'an SVG', logo: { format: 'svg' as const, width: 9, height: 9, content: Buffer.from('<svg') } },
])('renders a document without its logo where it is $what that nobody can draw', async ({ logo }) => {
  const { render } = renderer();
  const [pdf, plain] = [await render({ ...invoice, logo }), await render(invoice)];
  expect(Buffer.compare(pdf, plain)).toBe(0);
});

it('refuses a value that is no document and continues', async () => {
  const { render } = renderer();
  await expect(render({ ...invoice, grandTotal: 'a lot' })).rejects.toThrow();
  expect((await render(invoice)).length).toBeGreaterThan(10_000);
});

it('survives the death of its process: the document is made by the next one', async () => {
  const { render, kinds } = renderer({}, 'SIGKILL', 1);
  expect((await render(invoice)).length).toBeGreaterThan(10_000);
  expect(kinds()).toEqual(['started', 'lost', 'started']);
});

it.each(['\ufffd\u0609', '\ufffd\ufffd\u0609', '\u0609\u0378\u0378'])(
  'makes the document of a text that ends the process (%j) with question marks for its signs',
  async (text) => {
    const { render } = renderer();
    const party = { ...invoice.seller, name: text };
    const lines = invoice.lines.map((line) => ({ ...line, description: text }));
    const pdf = await render({ ...invoice, seller: party, buyer: party, lines, notes: text });
    expect(readPdf(pdf).pages.length).toBeGreaterThan(0);
  },
);

it('gives a document up whose process died twice, and makes the others', async () => {
  const { render } = renderer({}, 'SIGKILL', 2);
  const [first, second] = await Promise.allSettled([render(invoice), render(creditNote)]);
  expect(first).toMatchObject({ status: 'rejected', reason: { name: 'DocumentRenderError', code: 'LOST' } });
  expect(second.status).toBe('fulfilled');
});

it('kills a process that hangs and makes the document with the next one', async () => {
  const { render, processes, events } = renderer({ timeLimitMilliseconds: 5000 }, 'SIGSTOP', 1);
  expect((await render(invoice)).length).toBeGreaterThan(10_000);
  expect(events.find(({ kind }) => kind === 'lost')).toMatchObject({ reason: expect.stringContaining('not ready') });
  expect(alive(processes[0] as number)).toBe(false);
});

it('gives a document up that hangs twice', async () => {
  const { render } = renderer({ timeLimitMilliseconds: 200 }, 'SIGSTOP', 9);
  await expect(render(invoice)).rejects.toMatchObject({ code: 'TIMED_OUT' });
});

it('gives up who waits behind a process that hangs when the patience is at its end, and makes what is asked for then', async () => {
  const { render, kinds } = renderer({ patienceMilliseconds: 5000, timeLimitMilliseconds: 60_000 }, 'SIGSTOP', 2);
  const asked = await Promise.allSettled([render(invoice), render(creditNote)]);
  expect(asked).toMatchObject(asked.map(() => ({ status: 'rejected', reason: { code: 'TIMED_OUT' } })));
  expect(kinds()).toEqual(['started', 'lost', 'started', 'lost']);
  expect((await render(invoice)).length).toBeGreaterThan(10_000);
});

it('ends a process that grows beyond what it may hold while it makes a document', async () => {
  const { render, events } = renderer({ mostMemoryBytes: 1 });
  await expect(render(invoiceOf(1000))).rejects.toMatchObject({ code: 'LOST' });
  expect(events.filter(({ kind }) => kind === 'lost')).toHaveLength(2);
  expect(events).toContainEqual(expect.objectContaining({ kind: 'lost', reason: expect.stringContaining('bytes') }));
});

it('refuses a document with too many rows for its memory, before a process is started, and continues', async () => {
  const { render, kinds } = renderer();
  const most = { ...invoice, lines: Array.from({ length: MOST_ROWS }, () => platformFee) };
  await expect(render({ ...most, lines: [...most.lines, platformFee] })).rejects.toMatchObject({ code: 'TOO_LARGE' });
  expect(kinds()).toEqual([]);
  expect(rowsOf(most)).toBe(MOST_ROWS);
  expect((await render(invoice)).length).toBeGreaterThan(10_000);
});

it('counts tiers as rows', () => {
  const tiers = Array.from({ length: 3 }, () => ({
    from: '0',
    upTo: null,
    quantity: '1',
    unitPrice: '1',
    amount: '1',
  }));
  expect(rowsOf({ ...invoice, lines: [{ ...platformFee, tiers }, platformFee] })).toBe(5);
});

it.each([
  { why: 'after so many documents', options: { documentsPerProcess: 2 }, reason: 'documents', processes: 2 },
  { why: 'when it has grown', options: { memoryLimitBytes: 1 }, reason: 'memory', processes: 4 },
])('replaces its process $why', async ({ options, reason, processes: expected }) => {
  const { render, processes, events } = renderer(options);
  const documents = await Promise.all(Array.from({ length: 4 }, () => render(invoice)));
  expect(new Set(documents.map((pdf) => Buffer.from(pdf).toString('base64'))).size).toBe(1);
  expect(processes).toHaveLength(expected);
  expect(events).toContainEqual({ kind: 'retired', processId: processes[0], reason });
});

it('lets an idle process go, and starts another for the next document', async () => {
  const { render, processes, kinds } = renderer({ idleMilliseconds: 10 });
  await render(invoice);
  await expect.poll(kinds).toEqual(['started', 'retired']);
  await expect.poll(() => alive(processes[0] as number)).toBe(false);
  expect((await render(invoice)).length).toBeGreaterThan(10_000);
});

it('leaves nothing behind when it is closed', async () => {
  const { render, close, processes } = renderer();
  await render(invoice);
  const waiting = [render(invoice), render(creditNote)];
  const outcomes = Promise.allSettled(waiting);
  await close();
  expect(await outcomes).toMatchObject([{ reason: { code: 'CLOSED' } }, { reason: { code: 'CLOSED' } }]);
  expect(processes.map(alive)).toEqual([false]);
  await expect(render(invoice)).rejects.toMatchObject({ code: 'CLOSED' });
  await close();
});

it('starts no process before there is a document to make', async () => {
  const { close, processes } = renderer();
  await close();
  expect(processes).toEqual([]);
});
