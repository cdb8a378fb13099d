import { describe, expect, it } from 'vitest';
import { decimal, plain } from '../kernel/decimal.ts';
import { chooseTaxRate, type TaxRateSources } from './choose-rate.ts';

/** Every source names another rate. */
const all: TaxRateSources = {
  taxExempt: false,
  customerTaxRates: { bm_1: 1, plan_1: '2', default: 3 },
  metricId: 'bm_1',
  planId: 'plan_1',
  priceTaxRate: decimal(4),
  metricTaxRate: decimal(5),
  planTaxRate: decimal(6),
  merchantTaxRate: decimal(7),
  place: null,
};

describe('the rate of a line is the first that is named', () => {
  it.each<{ sources: TaxRateSources; rate: string; source: string }>([
    { sources: { ...all, taxExempt: true }, rate: '0', source: 'exempt' },
    { sources: all, rate: '1', source: 'customer_metric' },
    { sources: { ...all, metricId: 'bm_2' }, rate: '2', source: 'customer_plan' },
    { sources: { ...all, metricId: null }, rate: '2', source: 'customer_plan' }, // a fee has no metric
    { sources: { ...all, metricId: null, planId: 'plan_2' }, rate: '3', source: 'customer_default' },
    { sources: { ...all, metricId: null, planId: null }, rate: '3', source: 'customer_default' },
    { sources: { ...all, customerTaxRates: {} }, rate: '4', source: 'price' },
    { sources: { ...all, customerTaxRates: {}, priceTaxRate: null }, rate: '5', source: 'metric' },
    { sources: { ...all, customerTaxRates: {}, priceTaxRate: null, metricTaxRate: null }, rate: '6', source: 'plan' },
    {
      sources: { ...all, customerTaxRates: {}, priceTaxRate: null, metricTaxRate: null, planTaxRate: null },
      rate: '7',
      source: 'merchant',
    },
    {
      sources: {
        ...all,
        customerTaxRates: {},
        priceTaxRate: null,
        metricTaxRate: null,
        planTaxRate: null,
        merchantTaxRate: null,
      },
      rate: '0',
      source: 'none',
    },
    {
      sources: { ...all, place: { treatment: 'consumer_abroad', rate: decimal(8) } },
      rate: '1',
      source: 'customer_metric',
    },
    {
      sources: { ...all, customerTaxRates: {}, place: { treatment: 'consumer_abroad', rate: decimal(8) } },
      rate: '8',
      source: 'place',
    },
    {
      sources: { ...all, customerTaxRates: {}, place: { treatment: 'reverse_charge', rate: decimal(0) } },
      rate: '0',
      source: 'place',
    },
    {
      sources: { ...all, customerTaxRates: {}, place: { treatment: 'domestic', rate: decimal(8) } },
      rate: '4',
      source: 'price',
    },
    {
      sources: {
        ...all,
        customerTaxRates: {},
        priceTaxRate: null,
        metricTaxRate: null,
        planTaxRate: null,
        place: { treatment: 'domestic', rate: decimal(8) },
      },
      rate: '8',
      source: 'place',
    },
    {
      sources: { ...all, customerTaxRates: {}, place: { treatment: 'not_registered', rate: null } },
      rate: '4',
      source: 'price',
    },
    // 0 is a rate
    { sources: { ...all, customerTaxRates: { bm_1: 0, default: 20 } }, rate: '0', source: 'customer_metric' },
    { sources: { ...all, customerTaxRates: {}, priceTaxRate: decimal(0) }, rate: '0', source: 'price' },
    {
      sources: { ...all, customerTaxRates: { default: JSON.rawJSON('8.875') } },
      rate: '8.875',
      source: 'customer_default',
    },
    { sources: { ...all, customerTaxRates: {}, metricId: 'toString' }, rate: '4', source: 'price' },
  ])('$rate % from $source', ({ sources, rate, source }) => {
    const chosen = chooseTaxRate(sources);
    expect({ rate: plain(chosen.rate), source: chosen.source }).toEqual({ rate, source });
  });
});
