import { type Decimal, decimal, ZERO } from '../../kernel/decimal.ts';
import { type Html, html } from '../../pages/index.ts';

const WIDTH = 640;
const HEIGHT = 120;
const TOP = 2; // half of a line's width must not be cut off
const PLACES = 3;

/** A figure of a stretch of time. */
export interface Point {
  readonly label: string;
  readonly value: Decimal;
}

/** The height of a value between the axis and the highest one, from 0 to 1, exact enough for a picture. */
const shareOf = (value: Decimal, highest: Decimal): Decimal =>
  highest.gt(0) && value.gt(0) ? value.div(highest) : ZERO;

/** A height in the picture, as an attribute. */
const heightOf = (share: Decimal): Decimal => share.times(HEIGHT - TOP);

const attribute = (value: Decimal): string => value.toFixed(PLACES);

/** The highest of some values, 0 where none is above it. */
export const highestOf = (points: readonly Point[]): Decimal =>
  points.reduce((highest, { value }) => (value.gt(highest) ? value : highest), ZERO);

/**
 * The picture between its highest figure and its ends, which are text of the page: a phone shows it as large as any.
 */
const frameOf = (title: string, id: string, points: readonly Point[], shownHighest: string, inside: Html): Html => {
  const [first, last] = [points[0]?.label ?? '', points.at(-1)?.label ?? ''];
  return html`<div class="chart"><p aria-hidden="true">${shownHighest}</p>
<svg viewBox="0 0 ${String(WIDTH)} ${String(HEIGHT)}" preserveAspectRatio="none" role="img" aria-labelledby="${id}"><title id="${id}">${title}</title>
<line class="axis" x1="0" y1="${String(HEIGHT)}" x2="${String(WIDTH)}" y2="${String(HEIGHT)}"/>
${inside}</svg>
<p class="ends" aria-hidden="true"><span>${first}</span>${points.length > 1 ? html`<span>${last}</span>` : null}</p></div>`;
};

/** The series of a chart of bars that have a colour of their own. */
export const MOST_SERIES = 8;

/** The colour of a series, beside its name. */
export const keyOf = (series: number): Html =>
  html`<svg class="key" viewBox="0 0 1 1" aria-hidden="true"><rect class="s${String(series)}" width="1" height="1"/></svg>`;

/**
 * A bar for each point, made of a part for each series. A table beside it has the same figures.
 * @param id of the title, unique on the page
 * @param series the values of each series, as many as there are points; none: one series, that of the points
 */
export function barChart(
  title: string,
  id: string,
  points: readonly Point[],
  shownHighest: string,
  series: readonly (readonly Decimal[])[] = [points.map(({ value }) => value)],
): Html {
  const highest = highestOf(points);
  const step = WIDTH / Math.max(points.length, 1);
  const width = (step * 0.8).toFixed(PLACES);
  const tops = points.map(() => decimal(String(HEIGHT)));
  const paths = series.map((values, place) => {
    const bars = values.map((value, index) => {
      const height = heightOf(shareOf(value, highest));
      const top = (tops[index] as Decimal).minus(height);
      tops[index] = top;
      if (height.isZero()) return '';
      return `M${(index * step + step * 0.1).toFixed(PLACES)} ${attribute(top)}h${width}v${attribute(height)}h-${width}z`;
    });
    return html`<path class="s${String(place)}" d="${bars.join('')}"/>`;
  });
  return frameOf(title, id, points, shownHighest, html`${paths}`);
}

/** A line through the points, from one stretch of time to the next. */
export function lineChart(title: string, id: string, points: readonly Point[], shownHighest: string): Html {
  const highest = highestOf(points);
  const step = points.length > 1 ? WIDTH / (points.length - 1) : WIDTH;
  const places = points.map(({ value }, index) => {
    const gap = heightOf(shareOf(highest, highest)).minus(heightOf(shareOf(value, highest)));
    return `${(index * step).toFixed(PLACES)} ${attribute(gap.plus(TOP))}`;
  });
  const only = places[0] === undefined ? '' : `M${places[0]}H${WIDTH}`;
  const line = places.length > 1 ? `M${places.join('L')}` : only;
  const inside = highest.isZero() ? '' : line;
  return frameOf(title, id, points, shownHighest, html`<path class="line" d="${inside}"/>`);
}
