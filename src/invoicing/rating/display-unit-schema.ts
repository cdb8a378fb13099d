import { DecimalOut, type FieldWords, Type } from '../../http/index.ts';

/** What the document says of the fields of a display unit. */
export const DISPLAY_UNIT_FIELDS: FieldWords = {
  per: ['How many units are one of it.', '1000000'],
  name: ['The name of it, as pages and documents say it.', '1M tokens'],
};

/** A display unit as it is answered. */
export const DisplayUnitReply = Type.Object(
  { per: DecimalOut, name: Type.String() },
  {
    $id: 'DisplayUnit',
    description: 'The unit in which pages, documents and mails say quantities and prices.',
    'x-fields': DISPLAY_UNIT_FIELDS,
  },
);
