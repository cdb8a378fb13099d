import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useMemo, useRef } from 'react';
import type uPlot from 'uplot';

/** Values over x: milliseconds since 1970 for times. Exact figures stand in the table beside the chart. */
export interface ChartSeries {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface ChartProps {
  /** What it shows, for those who cannot see it; they read the table beside it. */
  readonly label: string;
  readonly series: readonly ChartSeries[];
  /** `time` in the zone of this browser, `day` in UTC days of billing. */
  readonly xKind: 'time' | 'day' | 'number';
  /** Bars stand upon each other: their sum is the total. */
  readonly kind: 'line' | 'bars';
  readonly height?: number;
}

const MOST_SERIES = 8;
const DAY = 86_400_000;
const MONTH = 28 * DAY;
/** So many months have their names below the chart. */
const MOST_MONTHS = 12;

/** The first eight, and the sum of the rest; a ninth stands alone. */
function folded(series: readonly ChartSeries[]): readonly ChartSeries[] {
  if (series.length <= MOST_SERIES + 1) return series;
  const rest = series.slice(MOST_SERIES);
  const sums = new Map<number, number>();
  for (const { points } of rest) for (const [x, y] of points) sums.set(x, (sums.get(x) ?? 0) + y);
  return [...series.slice(0, MOST_SERIES), { name: `Others (${rest.length})`, points: [...sums] }];
}

interface Drawing {
  readonly names: readonly string[];
  readonly xs: readonly number[];
  /** The values themselves, by series. */
  readonly values: readonly (readonly (number | null)[])[];
  /** How high each is drawn: of bars that stand upon each other, its upper edge. */
  readonly heights: readonly (readonly (number | null)[])[];
}

function drawingOf(series: readonly ChartSeries[], kind: ChartProps['kind']): Drawing {
  const shown = folded(series);
  const xs = [...new Set(shown.flatMap(({ points }) => points.map(([x]) => x)))].toSorted((a, b) => a - b);
  const values = shown.map(({ points }) => {
    const byX = new Map(points);
    return xs.map((x) => byX.get(x) ?? null);
  });
  const heights =
    kind === 'line'
      ? values
      : values.map((_, upTo) =>
          xs.map((_x, at) => values.slice(0, upTo + 1).reduce((sum, each) => sum + (each[at] ?? 0), 0)),
        );
  return { names: shown.map(({ name }) => name), xs, values, heights };
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 });
const exact = new Intl.NumberFormat('en', { maximumFractionDigits: 10 });

/** The words of a place on the axis, as fine as the steps between the places; with its year where it stands alone. */
function wordsOfX(xKind: ChartProps['xKind'], step: number, isAlone: boolean): (x: number) => string {
  if (xKind === 'number') return (x) => (isAlone ? exact : compact).format(x);
  const zone = xKind === 'day' ? { timeZone: 'UTC' } : {};
  const year = isAlone || step >= MONTH ? ({ year: 'numeric' } as const) : {};
  const day = new Intl.DateTimeFormat('en-GB', {
    ...zone,
    ...year,
    ...(step < MONTH && { day: 'numeric' }),
    month: 'short',
  });
  if (step >= DAY) return (x) => day.format(x);
  const minute = new Intl.DateTimeFormat('en-GB', { ...zone, hour: '2-digit', minute: '2-digit' });
  if (isAlone) return (x) => `${day.format(x)}, ${minute.format(x)}`;
  return (x) => (minute.format(x) === '00:00' ? day : minute).format(x);
}

const NARROW = 420;
const monthFormats = {
  short: new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone: 'UTC' }),
  narrow: new Intl.DateTimeFormat('en-GB', { month: 'narrow', timeZone: 'UTC' }),
};

/** Months have no room for their years: each January says it on a second line. */
const monthWords =
  (width: number) =>
  (x: number): string => {
    const month = monthFormats[width < NARROW ? 'narrow' : 'short'].format(x);
    const at = new Date(x);
    return at.getUTCMonth() === 0 ? `${month}\n${at.getUTCFullYear()}` : month;
  };

function optionsOf(Plot: typeof uPlot, drawing: Drawing, props: ChartProps, box: HTMLElement): uPlot.Options {
  const { xKind, kind, height = 240 } = props;
  const { xs, names, values } = drawing;
  const style = getComputedStyle(box);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const lines = { stroke: colour('line'), width: 1 };
  const axis: uPlot.Axis = { stroke: colour('soft'), grid: lines, ticks: lines, font: `12px ${style.fontFamily}` };
  const steps = xs.slice(1).map((x, index) => x - (xs[index] as number));
  const step = steps.length > 0 ? Math.min(...steps) : DAY;
  const ofMonths = xKind !== 'number' && step >= MONTH && xs.length <= MOST_MONTHS;
  const pointWords = wordsOfX(xKind, step, true);
  const seriesOf = (at: number): uPlot.Series => {
    const stroke = colour(`series-${at < MOST_SERIES ? at + 1 : 'others'}`);
    return {
      label: names[at] as string,
      stroke,
      value: (_plot, _drawn, _series, index) => {
        const value = index === null ? null : values[at]?.[index];
        return value === null || value === undefined ? '—' : exact.format(value);
      },
      ...(kind === 'bars'
        ? { fill: stroke, width: 0, points: { show: false }, paths: Plot.paths.bars?.({ size: [0.8, 48] }) as never }
        : { width: 2, spanGaps: true, ...(at >= 4 && { dash: [8, 4] }) }),
    };
  };
  return {
    width: box.clientWidth,
    height,
    ms: 1,
    ...(xKind === 'day' && { tzDate: (at) => Plot.tzDate(new Date(at), 'Etc/UTC') }),
    cursor: { drag: { x: false, y: false }, y: false },
    scales: {
      x: {
        time: xKind !== 'number',
        ...(kind === 'bars' && { range: (_plot, least, most) => [least - step / 2, most + step / 2] }),
      },
      y: { range: (_plot, least, most) => [Math.min(0, (least ?? 0) * 1.05), Math.max(0, (most ?? 0) * 1.05) || 1] },
    },
    axes: [
      {
        ...axis,
        ...(ofMonths && { splits: () => [...xs] }),
        values: (_plot, places, _axis, _space, apart) =>
          ofMonths ? places.map(monthWords(box.clientWidth)) : places.map(wordsOfX(xKind, apart, false)),
      },
      { ...axis, size: 56, values: (_plot, places) => places.map((each) => compact.format(each)) },
    ],
    series: [
      { label: xKind === 'number' ? 'At' : 'Time', value: (_plot, x) => (x === null ? '—' : pointWords(x)) },
      ...orderOf(drawing, kind).map(seriesOf),
    ],
  };
}

/** The order of drawing: of bars that stand upon each other the highest first, so that the lower ones cover it. */
const orderOf = ({ names }: Drawing, kind: ChartProps['kind']): readonly number[] =>
  kind === 'bars' ? names.map((_, at) => names.length - 1 - at) : names.map((_, at) => at);

/** Draws values; up to eight series and the sum of the others. The library comes when the first chart is shown. */
export function Chart(props: ChartProps) {
  const { label, series, xKind, kind, height } = props;
  const box = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme();
  const drawing = useMemo(() => drawingOf(series, kind), [series, kind]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours of the scheme are read from the style
  useEffect(() => {
    const place = box.current;
    if (!place) return;
    let plot: uPlot | undefined;
    let isGone = false;
    const watch = new ResizeObserver(() => plot?.setSize({ width: place.clientWidth, height: height ?? 240 }));
    const draw = async () => {
      const [{ default: Plot }] = await Promise.all([import('uplot'), import('uplot/dist/uPlot.min.css')]);
      if (isGone) return;
      const data = [drawing.xs, ...orderOf(drawing, kind).map((at) => drawing.heights[at])] as uPlot.AlignedData;
      const options = optionsOf(Plot, drawing, { label, series, xKind, kind, ...(height && { height }) }, place);
      plot = new Plot(options, data, place);
      watch.observe(place);
    };
    draw().catch(() => undefined); // without the library the table stands alone
    return () => {
      isGone = true;
      watch.disconnect();
      plot?.destroy();
    };
  }, [drawing, xKind, kind, height, scheme]);
  return <div className="chart" role="img" aria-label={label} ref={box} style={{ minHeight: height ?? 240 }} />;
}
