/**
 * Thrown by a handler that needs an answer from outside: its transaction is undone, `ask` gets the answer and commits
 * it, and the handler is run again, which finds it (docs/decisions/0117). So no call is made inside a transaction.
 */
export class AskOutside extends Error {
  override readonly name = 'AskOutside';
  readonly ask: () => Promise<void>;
  constructor(ask: () => Promise<void>) {
    super('This needs an answer from outside.');
    this.ask = ask;
  }
}

/** A handler that has asked so often asks for something else each time. */
const MOST_QUESTIONS = 3;

/** Does the work, and again after each answer that it needs. */
export async function withAnswers<T>(work: () => Promise<T>): Promise<T> {
  for (let questions = 0; ; questions += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AskOutside) || questions === MOST_QUESTIONS) throw error;
      await error.ask();
    }
  }
}
