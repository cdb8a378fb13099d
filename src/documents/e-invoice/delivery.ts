import { daysOf } from '../../look/index.ts';
import type { InvoiceDocument } from '../document.ts';
import { type Span, timeOfSupply } from '../time-of-supply.ts';
import { dateIn, periodOf } from './dates.ts';
import { townOf } from './parties.ts';
import { type Child, type Element, element } from './xml.ts';

const isOneDay = ({ from, to }: Span): boolean => {
  const { first, last } = daysOf(from, to);
  return first.equals(last);
};

/**
 * BG-13. A supply of one day has its date (BT-72). What is supplied for a time has the time in the settlement, and here
 * the town and the country of the buyer (BT-80): an end of a period that is to come is no date of delivery.
 */
export function deliveryOf(document: InvoiceDocument): Element {
  const { service } = timeOfSupply(document);
  return element(
    'ram:ApplicableHeaderTradeDelivery',
    service && isOneDay(service)
      ? element('ram:ActualDeliverySupplyChainEvent', dateIn('ram:OccurrenceDateTime', service.from))
      : element('ram:ShipToTradeParty', townOf(document.buyer)),
  );
}

/** BG-14: the time of the supply, unless it is one day. */
export function periodOfSupply(document: InvoiceDocument): Child {
  const { service, period } = timeOfSupply(document);
  return periodOf(service && !isOneDay(service) ? service : period);
}
