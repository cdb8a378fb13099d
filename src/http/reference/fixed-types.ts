type Schema = Readonly<Record<string, unknown>>;

/** The form of a decimal that is sent as a string. */
const DECIMAL_PATTERN = String.raw`^-?\d{1,38}(\.\d{1,38})?$`;

/** The types that the documents name and that mean the same wherever they stand (`x-shown`). */
export const FIXED_TYPES = {
  Decimal: {
    description:
      'A decimal number as a string, such as `"12.50"`: an amount, a price or a quantity with all its digits.',
    type: 'string',
    format: 'decimal',
    pattern: DECIMAL_PATTERN,
  },
  DecimalInput: {
    description: 'A decimal number as a string or as a JSON number. A number keeps the digits that are sent.',
    type: ['string', 'number'],
    format: 'decimal',
    pattern: DECIMAL_PATTERN,
  },
  DecimalNumber: {
    description: 'A decimal number as a JSON number, with all its digits. It may have more than a `double` can hold.',
    type: 'number',
    format: 'decimal',
  },
  JsonValue: { description: 'Any JSON value.' },
  JsonObject: {
    description: 'A JSON object whose fields the API does not define.',
    type: 'object',
    additionalProperties: true,
  },
  ErrorCode: {
    description: 'The reason of an error, for programs. A later version can add codes.',
    type: 'string',
  },
} as const satisfies Readonly<Record<string, Schema>>;

export type FixedType = keyof typeof FIXED_TYPES;

/** The type of a decimal by what is accepted. */
export const DECIMALS = { string: 'Decimal', both: 'DecimalInput', number: 'DecimalNumber' } as const;
