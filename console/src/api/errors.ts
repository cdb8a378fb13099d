/** One failing field of a request; `field` is a dotted path. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** A refusal of the server, in its own words. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string | null;
  readonly fields: readonly FieldError[];
  readonly details: Readonly<Record<string, unknown>>;
  readonly requestId: string | null;
  constructor(
    status: number,
    code: string | null,
    message: string,
    fields: readonly FieldError[],
    details: Readonly<Record<string, unknown>>,
    requestId: string | null,
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields;
    this.details = details;
    this.requestId = requestId;
  }
}

/** No answer came: the network, or a server that is being started again. */
export class ConnectionLost extends Error {
  constructor() {
    super('The connection to the server is lost.');
  }
}
