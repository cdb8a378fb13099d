import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { reductions } from '../look/index.ts';
import type { PrintedDocument } from './document.ts';
import { eInvoiceOf } from './e-invoice/e-invoice.ts';
import type { RenderAnswer, RenderRequest } from './messages.ts';
import { residentBytes } from './resident-bytes.ts';
import { MOST_ROWS, rowsOf } from './size.ts';
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
  render(document: PrintedDocument): Promise<Uint8Array>;
  /**
   * Ends the process; what waits or runs is rejected with `CLOSED`. Nothing of the renderer is left when it resolves.
   */
  close(): Promise<void>;
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

/** A renderer without a process yet: the first document starts one. */
export const createDocumentRenderer = (options: RendererOptions = {}): DocumentRenderer => new Renderer(options);

type Limits = Readonly<Required<Omit<RendererOptions, 'onEvent'>>>;

const USUAL_LIMITS: Limits = {
  timeLimitMilliseconds: ATTEMPT,
  patienceMilliseconds: PATIENCE,
  documentsPerProcess: 1000,
  memoryLimitBytes: 512 * 1024 * 1024,
  mostMemoryBytes: 2048 * 1024 * 1024,
  idleMilliseconds: 60_000,
};

/**
 * Renders documents in a process of their own. A thread would not do: a panic in the native typesetter ends every
 * thread of the process it happens in, and a thread that hangs in native code cannot be stopped. A process can be
 * killed.
 */
class Renderer implements DocumentRenderer {
  readonly #limits: Limits;
  readonly #onEvent: (event: RendererEvent) => void;
  readonly #waiting: Job[] = [];
  readonly #alive = new Set<Press>();
  #press: Press | null = null;
  #running: Job | null = null;
  #timer: NodeJS.Timeout | undefined;
  #watch: NodeJS.Timeout | undefined;
  #jobs = 0;
  #isClosed = false;

  constructor({ onEvent = () => undefined, ...limits }: RendererOptions) {
    this.#limits = { ...USUAL_LIMITS, ...limits };
    this.#onEvent = onEvent;
  }

  async render(document: PrintedDocument): Promise<Uint8Array> {
    if (this.#isClosed) throw new DocumentRenderError('CLOSED', 'The renderer is closed.');
    const rows = rowsOf(document);
    if (rows > MOST_ROWS)
      throw new DocumentRenderError('TOO_LARGE', `The document has ${rows} rows; ${MOST_ROWS} are the most.`);
    const laidOut = viewOf(document);
    const view = JSON.stringify(laidOut);
    const viewWithoutLogo = document.logo ? JSON.stringify({ ...laidOut, logo: null }) : view;
    const electronic = 'lines' in document ? eInvoiceOf(document) : null;
    const createdAtSeconds = Math.floor(document.issuedAt.epochMilliseconds / 1000);
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    this.#jobs += 1;
    const job = this.#jobs;
    const deadline = setTimeout(() => this.#giveUp(job), this.#limits.patienceMilliseconds);
    this.#waiting.push({
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
    this.#next();
    return promise;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#press = null;
    this.#stopWatching();
    for (const job of this.#running ? [this.#running, ...this.#waiting] : this.#waiting)
      job.reject(new DocumentRenderError('CLOSED', 'The renderer was closed.'));
    this.#running = null;
    this.#waiting.length = 0;
    await Promise.all(
      [...this.#alive].map(async (left) => {
        hold(left, true);
        const ended = once(left.child, 'exit');
        left.child.kill('SIGKILL');
        await ended;
      }),
    );
  }

  #next(): void {
    if (this.#running || this.#isClosed) return;
    this.#running = this.#waiting.shift() ?? null;
    this.#stopWatching();
    if (!this.#running) {
      if (this.#press) this.#waitIdle(this.#press);
      return;
    }
    this.#press ??= this.#start();
    hold(this.#press, true);
    const { child } = this.#press;
    this.#running.attempts += 1;
    const { job, view, eInvoice, logo = null, createdAtSeconds } = this.#running;
    const busy = this.#press;
    this.#timer = setTimeout(() => {
      this.#lose(busy, 'TIMED_OUT', `The document was not ready after ${this.#limits.timeLimitMilliseconds} ms.`);
    }, this.#limits.timeLimitMilliseconds);
    this.#watch = setInterval(() => {
      const bytes = residentBytes(busy.processId);
      if (bytes !== null && bytes > this.#limits.mostMemoryBytes)
        this.#lose(busy, 'LOST', `The render process held ${bytes} bytes.`);
    }, MEMORY_CHECK);
    // A failure to send is followed by 'close', which says why.
    const shown = (reductions[this.#running.reduction] as (text: string) => string)(view);
    child.send({ job, view: shown, eInvoice, logo, createdAtSeconds } satisfies RenderRequest, () => {});
  }

  #start(): Press {
    const child = fork(join(import.meta.dirname, 'render-process.ts'), [], {
      execArgv: [],
      env: Object.fromEntries(ENVIRONMENT.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    const started: Press = { child, processId: child.pid ?? 0, documents: 0, complaint: '' };
    this.#alive.add(started);
    child.stderr?.on('data', (chunk: Buffer) => {
      started.complaint = (started.complaint + chunk.toString()).slice(-MOST_COMPLAINT);
    });
    child.on('message', (answer: RenderAnswer) => this.#finish(started, answer));
    child.on('error', (error) => {
      if (child.pid === undefined) this.#alive.delete(started); // never began, so it will never end either
      this.#lose(started, 'LOST', error.message);
    });
    // Not 'close': it never comes for a process whose pipes no longer hold the program alive.
    child.on('exit', (code, signal) => {
      this.#alive.delete(started);
      this.#lose(
        started,
        'LOST',
        `The render process ended (${signal ?? code}). ${started.complaint}`.trim(),
        signal === 'SIGABRT',
      );
    });
    this.#onEvent({ kind: 'started', processId: started.processId });
    return started;
  }

  #waitIdle(idle: Press): void {
    hold(idle, false);
    this.#timer = setTimeout(() => this.#retire(idle, 'idle'), this.#limits.idleMilliseconds);
    this.#timer.unref();
  }

  #retire(old: Press, reason: 'documents' | 'memory' | 'idle'): void {
    this.#press = null;
    hold(old, false);
    if (old.child.connected) old.child.disconnect();
    this.#onEvent({ kind: 'retired', processId: old.processId, reason });
  }

  #finish(from: Press, answer: RenderAnswer): void {
    if (from !== this.#press || !this.#running || answer.job !== this.#running.job) return;
    const done = this.#running;
    this.#running = null;
    from.documents += 1;
    const reduced = 'failure' in answer ? reduce(done) : null;
    if (reduced) {
      this.#waiting.unshift(reduced);
    } else if ('failure' in answer) {
      done.reject(new DocumentRenderError('TEMPLATE_FAILED', answer.failure));
    } else {
      this.#onEvent({ kind: 'rendered', processId: from.processId, memoryBytes: answer.memoryBytes });
      if (answer.standard !== 'a-3b') this.#onEvent({ kind: 'downgraded', number: done.number });
      done.resolve(answer.pdf);
      if (answer.memoryBytes > this.#limits.memoryLimitBytes) this.#retire(from, 'memory');
      else if (from.documents >= this.#limits.documentsPerProcess) this.#retire(from, 'documents');
    }
    this.#next();
  }

  #lose(gone: Press, code: 'LOST' | 'TIMED_OUT', reason: string, isSuspect = false): void {
    if (gone !== this.#press) return;
    this.#press = null;
    this.#stopWatching();
    hold(gone, false);
    gone.child.kill('SIGKILL');
    this.#onEvent({ kind: 'lost', processId: gone.processId, reason });
    const interrupted = this.#running;
    this.#running = null;
    const retried = (job: Job) => (job.attempts < MOST_ATTEMPTS ? job : null);
    const again = interrupted && (isSuspect ? reduce(interrupted) : retried(interrupted));
    if (again) this.#waiting.unshift(again);
    else interrupted?.reject(new DocumentRenderError(code, reason));
    this.#next();
  }

  /** Its patience is at its end. All have the same, and the oldest goes first: so it is the one that is being made. */
  #giveUp(id: number): void {
    if (!this.#press || this.#running?.job !== id) return;
    this.#running.attempts = MOST_ATTEMPTS;
    this.#lose(
      this.#press,
      'TIMED_OUT',
      `The document was not ready ${this.#limits.patienceMilliseconds} ms after it was asked for.`,
    );
  }

  #stopWatching(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#watch);
  }
}

/** Only a document that is being made keeps the program alive; an idle process does not. */
function hold(held: Press, wanted: boolean): void {
  const handles = [held.child, held.child.channel, held.child.stderr as { ref?(): void; unref?(): void } | null];
  for (const handle of handles) (wanted ? handle?.ref?.bind(handle) : handle?.unref?.bind(handle))?.();
}
