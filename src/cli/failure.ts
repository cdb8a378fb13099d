/** A command that could not be done: the reason, and one remedy. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly fix: string;

  constructor(message: string, fix: string) {
    super(message);
    this.fix = fix;
  }
}
