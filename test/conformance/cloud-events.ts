import { CloudEvent, type CloudEventV1, CONSTANTS, HTTP, type Message } from 'cloudevents';

const common = {
  source: 'https://meter.example/eu?zone=1',
  type: 'call',
  time: '2026-01-10T10:00:00.123Z',
  externalsubject: 'acme',
};

/** Events as producers make them with the official package. */
const EVENTS = {
  full: {
    dataschema: 'https://meter.example/schema',
    data: { units: 5, note: 'Zürich "10" %' },
    externalid: 'row-1',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    sampled: 3,
    live: true,
  },
  decimal: { datacontenttype: 'application/json; charset=utf-8', data: { units: '0.1' } },
  addressed: { subject: 'somebody', data: { units: 40 } },
  nodata: {},
  text: { datacontenttype: 'application/json', data: '{"units":2}' },
  bytes: { datacontenttype: 'application/octet-stream', data: new Uint8Array([1, 2, 3]) },
  xml: { datacontenttype: 'application/xml', data: '<units>1</units>' },
} satisfies Record<string, Partial<CloudEventV1<unknown>>>;
export type EventName = keyof typeof EVENTS;

/** One of the events, by its id. */
export const eventOf = (name: EventName): CloudEvent<unknown> =>
  new CloudEvent<unknown>({ id: name, ...common, ...EVENTS[name] });

/** Several events as one message, as the package reads it: writing one it leaves to its user. */
export const batchOf = (events: readonly CloudEvent<unknown>[]): Message => ({
  headers: { [CONSTANTS.HEADER_CONTENT_TYPE]: `${CONSTANTS.MIME_CE_BATCH}; charset=utf-8` },
  body: JSON.stringify(events),
});

/** The package's message of an event. */
export const messageOf = (event: CloudEvent<unknown>, mode: 'binary' | 'structured'): Message => HTTP[mode](event);
