import { answerSet, type Database, type Waiting } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';

/** Something that is asked of the database about one merchant. */
interface Asked {
  /** Wall time. */
  readonly now: Instant;
  /** How much of a statement it takes. */
  readonly weight: number;
}

/**
 * Answers questions of one merchant together, in their order. An error is passed to a single question; of several
 * questions, each is asked once more alone.
 */
type Work<Question, Answer> = (
  database: Database,
  merchantId: string,
  questions: readonly Question[],
) => Promise<readonly Answer[]>;

/** A statement takes no more questions once they weigh so much. */
const MOST_WEIGHT = 400;
/** Statements of a merchant that run at the same time. */
const MOST_RUNNING = 2;
/** Milliseconds after which a statement is taken to be held up: who comes so much later does not wait for it. */
const PATIENCE = 25;

/**
 * Questions of a merchant that are there at the same time are asked together
 * (docs/decisions/0160-reads-asked-together.md). The first one goes at once, with those that have arrived at the same
 * moment; those that come while it is being answered go together right after it. There is no timer, and nobody joins a
 * statement that has been sent: so each answer is of a moment after its question.
 */
export class Joined<Question extends Asked, Answer> {
  readonly #work: Work<Question, Answer>;
  readonly #lines = new WeakMap<Database, Map<string, Line<Question, Answer>>>();

  constructor(work: Work<Question, Answer>) {
    this.#work = work;
  }

  /** @throws the error of this question alone, or of an unreachable database */
  ask(database: Database, merchantId: string, question: Question): Promise<Answer> {
    const lines = this.#lines.get(database) ?? new Map<string, Line<Question, Answer>>();
    this.#lines.set(database, lines);
    const line =
      lines.get(merchantId) ??
      new Line<Question, Answer>(
        (questions) => this.#work(database, merchantId, questions),
        () => lines.delete(merchantId),
      );
    lines.set(merchantId, line);
    return new Promise((resolve, reject) => line.add({ asked: question, resolve, reject }));
  }
}

/** The questions of one merchant. */
class Line<Question extends Asked, Answer> {
  readonly #work: (questions: readonly Question[]) => Promise<readonly Answer[]>;
  readonly #onEmpty: () => void;
  readonly #waiting: Waiting<Question, Answer>[] = [];
  #running = 0;
  #isLookingSoon = false;
  /** When the last question came, and when the last one of the last statement did. */
  #lastCame = 0;
  #lastTaken = 0;

  constructor(work: (questions: readonly Question[]) => Promise<readonly Answer[]>, onEmpty: () => void) {
    this.#work = work;
    this.#onEmpty = onEmpty;
  }

  add(waiting: Waiting<Question, Answer>): void {
    this.#waiting.push(waiting);
    this.#lastCame = waiting.asked.now.epochMilliseconds;
    this.#lookSoon();
  }

  /** Runs after all simultaneous questions have arrived. */
  #lookSoon(): void {
    if (this.#isLookingSoon) return;
    this.#isLookingSoon = true;
    setImmediate(() => {
      this.#isLookingSoon = false;
      this.#look();
    });
  }

  #look(): void {
    if (this.#waiting.length === 0) {
      if (this.#running === 0) this.#onEmpty();
      return;
    }
    const isHeldUp = this.#running < MOST_RUNNING && this.#lastCame - this.#lastTaken > PATIENCE;
    if (this.#running > 0 && !isHeldUp) return;
    this.#running += 1;
    this.#lastTaken = this.#lastCame;
    void answerSet(this.#take(), this.#work).finally(() => {
      this.#running -= 1;
      this.#lookSoon();
    });
  }

  #take(): Waiting<Question, Answer>[] {
    let [many, weight] = [0, 0];
    for (const { asked } of this.#waiting) {
      weight += asked.weight;
      if (many > 0 && weight > MOST_WEIGHT) break;
      many += 1;
    }
    return this.#waiting.splice(0, many);
  }
}
