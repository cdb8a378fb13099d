/** An error as Stripe answers it. */
export class StripeProblem extends Error {
  readonly status: number;
  readonly error: Record<string, unknown>;
  constructor(status: number, error: Record<string, unknown>) {
    super(String(error.message));
    this.status = status;
    this.error = error;
  }
}

export const invalidRequest = (message: string, code?: string, param?: string): StripeProblem =>
  new StripeProblem(code === 'resource_missing' ? 404 : 400, {
    type: 'invalid_request_error',
    message,
    ...(code !== undefined && { code }),
    ...(param !== undefined && { param }),
  });
