import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { PrintedDocument } from './document.ts';
import { eInvoiceOf } from './e-invoice/e-invoice.ts';
import type { RenderAnswer, RenderRequest } from './messages.ts';
import { residentBytes } from './resident-bytes.ts';
import { MOST_ROWS, rowsOf } from './size.ts';
import { reductions } from './text.ts';
import { viewOf } from './view.ts';

/**
 * Why there is no document. `code` tells a failure that may pass (`LOST`, `TIMED_OUT`, `CLOSED`) from one that will not
 * (`TEMPLATE_FAILED`, `TOO_LARGE`).
 */
export class DocumentRenderError extends Error {
  readonly code: 'TEMPLATE_FAILED' | 'TOO_LARGE' | 'TIMED_OUT' | 'LOST' | 'CLOSED';
  constructor(code: DocumentRenderError['code'], message: string) {
    super(message);
    this.name = 'DocumentRenderError';
    this.code = code;
  }
}

/** What happens to the render process, for the log and the metrics. */
export type RendererEvent =
  | { kind: 'started'; processId: number }
  | { kind: 'retired'; processId: number; reason: 'documents' | 'memory' | 'idle' }
  | { kind: 'lost'; processId: number; reason: string }
  | { kind: 'rendered'; processId: number; memoryBytes: number }
  /** PDF/A refused the document and plain PDF was made. */
  | { kind: 'downgraded'; number: string };

export interface RendererOptions {
  /** How long one attempt at a document may take, the start of a process included. */
  timeLimitMilliseconds?: number;
  /** How long after it was asked for a document is given up, whether it still waits or is being made. */
  patienceMilliseconds?: number;
  /** A process is replaced after so many documents, whatever it looks like. */
  documentsPerProcess?: number;
  /** A process that holds more than this after a document is replaced. */
  memoryLimitBytes?: number;
  /**
   * A process that holds more than this while it makes a document is ended (where the system tells, which is Linux).
   */
  mostMemoryBytes?: number;
  /** A process without work is let go after this time. */
  idleMilliseconds?: number;
  onEvent?: (event: RendererEvent) => void;
}

export interface DocumentRenderer {
  /**
   * The document as a PDF/A-3b file, with its e-invoice inside where there is one (`eInvoiceOf`); equal values give
   * equal bytes. One document is rendered at a time, the others wait.
   * @throws RangeError (or decimal.js' error) for a value that is no document: an unknown currency, text that is no
   *   decimal.
   * @throws DocumentRenderError when there is no document to give.
   */
  readonly render: (document: PrintedDocument) => Promise<Uint8Array>;
  /**
   * Ends the process; what waits or runs is rejected with `CLOSED`. Nothing of the renderer is left when it resolves.
   */
  readonly close: () => Promise<void>;
}

interface Job extends RenderRequest {
  number: string;
  viewWithoutLogo: string;
  attempts: number;
  /** Which of `reductions` its texts are shown by: a further one each time that the typesetter itself gave up on it. */
  reduction: number;
  /** Gives the document up when the patience is at its end. */
  deadline: NodeJS.Timeout;
  resolve: (pdf: Uint8Array) => void;
  reject: (error: Error) => void;
}

interface Press {
  child: ChildProcess;
  processId: number;
  documents: number;
  complaint: string;
}

const MOST_ATTEMPTS = 2;
// Who asks for a document holds a transaction, which the database ends when nothing came for 15 s (db/transaction.ts).
const ATTEMPT = 10_000;
const PATIENCE = 12_000;
const MEMORY_CHECK = 100;
const MOST_COMPLAINT = 2000;
// What a process needs to load the native library, and nothing else: no database address, no keys.
const ENVIRONMENT = ['PATH', 'LD_LIBRARY_PATH', 'SystemRoot'];

/** The job without its logo, and then with its texts reduced further; null where they cannot be. */
function reduce(job: Job): Job | null {
  if (job.logo) return { ...job, view: job.viewWithoutLogo, logo: null, attempts: 0 };
  return job.reduction + 1 < reductions.length ? { ...job, reduction: job.reduction + 1, attempts: 0 } : null;
}

/**
 * Renders documents in a process of their own. A thread would not do: a panic in the native typesetter ends every
 * thread of the process it happens in, and a thread that hangs in native code cannot be stopped. A process can be
 * killed.
 */
export function createDocumentRenderer(options: RendererOptions = {}): DocumentRenderer {
  const {
    timeLimitMilliseconds = ATTEMPT,
    patienceMilliseconds = PATIENCE,
    documentsPerProcess = 1000,
    memoryLimitBytes = 512 * 1024 * 1024,
    mostMemoryBytes = 2048 * 1024 * 1024,
    idleMilliseconds = 60_000,
    onEvent = () => {},
  } = options;

  const waiting: Job[] = [];
  const alive = new Set<Press>();
  let press: Press | null = null;
  let running: Job | null = null;
  let timer: NodeJS.Timeout | undefined;
  let watch: NodeJS.Timeout | undefined;
  let jobs = 0;
  let closed = false;

  function stopWatching(): void {
    clearTimeout(timer);
    clearInterval(watch);
  }

  function start(): Press {
    const child = fork(join(import.meta.dirname, 'render-process.ts'), [], {
      execArgv: [],
      env: Object.fromEntries(ENVIRONMENT.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    const started: Press = { child, processId: child.pid ?? 0, documents: 0, complaint: '' };
    alive.add(started);
    child.stderr?.on('data', (chunk: Buffer) => {
      started.complaint = (started.complaint + chunk.toString()).slice(-MOST_COMPLAINT);
    });
    child.on('message', (answer: RenderAnswer) => finish(started, answer));
    child.on('error', (error) => {
      if (child.pid === undefined) alive.delete(started); // never began, so it will never end either
      lose(started, 'LOST', error.message);
    });
    // Not 'close': it never comes for a process whose pipes no longer hold the program alive.
    child.on('exit', (code, signal) => {
      alive.delete(started);
      lose(
        started,
        'LOST',
        `The render process ended (${signal ?? code}). ${started.complaint}`.trim(),
        signal === 'SIGABRT',
      );
    });
    onEvent({ kind: 'started', processId: started.processId });
    return started;
  }

  /** Only a document that is being made keeps the program alive; an idle process does not. */
  function hold(held: Press, wanted: boolean): void {
    const handles = [held.child, held.child.channel, held.child.stderr as { ref?(): void; unref?(): void } | null];
    for (const handle of handles) (wanted ? handle?.ref?.bind(handle) : handle?.unref?.bind(handle))?.();
  }

  function next(): void {
    if (running || closed) return;
    running = waiting.shift() ?? null;
    stopWatching();
    if (!running) {
      if (press) rest(press);
      return;
    }
    press ??= start();
    hold(press, true);
    const { child } = press;
    running.attempts += 1;
    const { job, view, eInvoice, logo = null, createdAtSeconds } = running;
    const busy = press;
    timer = setTimeout(() => {
      lose(busy, 'TIMED_OUT', `The document was not ready after ${timeLimitMilliseconds} ms.`);
    }, timeLimitMilliseconds);
    watch = setInterval(() => {
      const bytes = residentBytes(busy.processId);
      if (bytes !== null && bytes > mostMemoryBytes) lose(busy, 'LOST', `The render process held ${bytes} bytes.`);
    }, MEMORY_CHECK);
    // A failure to send is followed by 'close', which says why.
    const shown = (reductions[running.reduction] as (text: string) => string)(view);
    child.send({ job, view: shown, eInvoice, logo, createdAtSeconds } satisfies RenderRequest, () => {});
  }

  function rest(idle: Press): void {
    hold(idle, false);
    timer = setTimeout(() => retire(idle, 'idle'), idleMilliseconds);
    timer.unref();
  }

  function retire(old: Press, reason: 'documents' | 'memory' | 'idle'): void {
    press = null;
    hold(old, false);
    if (old.child.connected) old.child.disconnect();
    onEvent({ kind: 'retired', processId: old.processId, reason });
  }

  function finish(from: Press, answer: RenderAnswer): void {
    if (from !== press || !running || answer.job !== running.job) return;
    const done = running;
    running = null;
    from.documents += 1;
    const reduced = 'failure' in answer ? reduce(done) : null;
    if (reduced) {
      waiting.unshift(reduced);
    } else if ('failure' in answer) {
      done.reject(new DocumentRenderError('TEMPLATE_FAILED', answer.failure));
    } else {
      onEvent({ kind: 'rendered', processId: from.processId, memoryBytes: answer.memoryBytes });
      if (answer.standard !== 'a-3b') onEvent({ kind: 'downgraded', number: done.number });
      done.resolve(answer.pdf);
      if (answer.memoryBytes > memoryLimitBytes) retire(from, 'memory');
      else if (from.documents >= documentsPerProcess) retire(from, 'documents');
    }
    next();
  }

  function lose(gone: Press, code: 'LOST' | 'TIMED_OUT', reason: string, isSuspect = false): void {
    if (gone !== press) return;
    press = null;
    stopWatching();
    hold(gone, false);
    gone.child.kill('SIGKILL');
    onEvent({ kind: 'lost', processId: gone.processId, reason });
    const interrupted = running;
    running = null;
    const again =
      interrupted && (isSuspect ? reduce(interrupted) : interrupted.attempts < MOST_ATTEMPTS ? interrupted : null);
    if (again) waiting.unshift(again);
    else interrupted?.reject(new DocumentRenderError(code, reason));
    next();
  }

  /** Its patience is at its end. All have the same, and the oldest goes first: so it is the one that is being made. */
  function giveUp(id: number): void {
    if (!press || running?.job !== id) return;
    running.attempts = MOST_ATTEMPTS;
    lose(press, 'TIMED_OUT', `The document was not ready ${patienceMilliseconds} ms after it was asked for.`);
  }

  return {
    async render(document) {
      if (closed) throw new DocumentRenderError('CLOSED', 'The renderer is closed.');
      const rows = rowsOf(document);
      if (rows > MOST_ROWS)
        throw new DocumentRenderError('TOO_LARGE', `The document has ${rows} rows; ${MOST_ROWS} are the most.`);
      const laidOut = viewOf(document);
      const view = JSON.stringify(laidOut);
      const viewWithoutLogo = document.logo ? JSON.stringify({ ...laidOut, logo: null }) : view;
      const electronic = document.kind === 'receipt' ? null : eInvoiceOf(document);
      const createdAtSeconds = Math.floor(document.issuedAt.epochMilliseconds / 1000);
      return new Promise((resolve, reject) => {
        jobs += 1;
        const job = jobs;
        const deadline = setTimeout(() => giveUp(job), patienceMilliseconds);
        waiting.push({
          job,
          view,
          viewWithoutLogo,
          logo: document.logo ?? null,
          eInvoice: electronic && 'xml' in electronic ? electronic.xml : null,
          createdAtSeconds,
          number: document.number,
          attempts: 0,
          reduction: 0,
          deadline,
          resolve: (pdf) => {
            clearTimeout(deadline);
            resolve(pdf);
          },
          reject: (error) => {
            clearTimeout(deadline);
            reject(error);
          },
        });
        next();
      });
    },

    async close() {
      closed = true;
      press = null;
      stopWatching();
      for (const job of running ? [running, ...waiting] : waiting)
        job.reject(new DocumentRenderError('CLOSED', 'The renderer was closed.'));
      running = null;
      waiting.length = 0;
      await Promise.all(
        [...alive].map(async (left) => {
          hold(left, true);
          const ended = once(left.child, 'exit');
          left.child.kill('SIGKILL');
          await ended;
        }),
      );
    },
  };
}
