import { isAway } from './away.ts';
import { sqlState } from './sql-state.ts';

/** The most sets at the same time: nobody who gathers occupies more of the pool. */
const MOST_SETS = 2;

/** A question, and who waits for its answer. */
export interface Waiting<Asked, Answer> {
  readonly asked: Asked;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** Errors of a database that is overloaded or broken: not of one question. That one is too slow (57014) is its own. */
const OF_ALL = /^5[38]/;

const isOfAll = (error: unknown): boolean => isAway(error) || OF_ALL.test(sqlState(error));

/**
 * Answers a set together. Where that fails each is asked by itself, so that only the one at fault hears of it. Never
 * rejects.
 * @param answerAll in their order
 */
export async function answerSet<Asked, Answer>(
  set: readonly Waiting<Asked, Answer>[],
  answerAll: (asked: readonly Asked[]) => Promise<readonly Answer[]>,
): Promise<void> {
  try {
    const answers = await answerAll(set.map(({ asked }) => asked));
    for (const [place, { resolve }] of set.entries()) resolve(answers[place] as Answer);
  } catch (error) {
    if (set.length === 1 || isOfAll(error)) for (const { reject } of set) reject(error);
    else for (const each of set) await answerSet([each], answerAll);
  }
}

/**
 * Answers together what is asked at the same time. While two sets are in work, the questions that come are the next
 * set. So a lone question waits for nobody, without a timer, and the work on an answer begins after its question.
 */
export class Gathering<Asked, Answer> {
  readonly #answerAll: (asked: readonly Asked[]) => Promise<readonly Answer[]>;
  readonly #most: number;
  readonly #waiting: Waiting<Asked, Answer>[] = [];
  #sets = 0;

  /**
   * @param answerAll in their order; where it fails, each is asked by itself
   * @param most questions in a set
   */
  constructor(answerAll: (asked: readonly Asked[]) => Promise<readonly Answer[]>, most: number) {
    this.#answerAll = answerAll;
    this.#most = most;
  }

  /** Does the next question join a set that waits already? */
  get isJoined(): boolean {
    return this.#waiting.length % this.#most > 0;
  }

  ask(asked: Asked): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#waiting.push({ asked, resolve, reject });
    if (this.#sets < MOST_SETS) void this.#work();
    return promise;
  }

  async #work(): Promise<void> {
    this.#sets += 1;
    await Promise.resolve(); // those who come in this turn of the event loop come along
    while (this.#waiting.length > 0) await answerSet(this.#waiting.splice(0, this.#most), this.#answerAll);
    this.#sets -= 1;
  }
}
