import { describe, expect, it } from 'vitest';
import { Durations, Figures } from './prometheus.ts';

describe('a counter or a gauge', () => {
  it('has a line for each set of labels', () => {
    const requests = new Figures('counter', 'requests_total', 'Requests answered.');
    requests.increment({ method: 'GET', status: 200 });
    requests.increment({ method: 'POST', status: 201 });
    requests.increment({ method: 'GET', status: 200 });
    expect(requests.text()).toBe(
      `# HELP requests_total Requests answered.
# TYPE requests_total counter
requests_total{method="GET",status="200"} 2
requests_total{method="POST",status="201"} 1
`,
    );
  });

  it('is left out before its first value', () => {
    expect(new Figures('gauge', 'parked', 'Parked records.').text()).toBe('');
  });

  it('has 0 for labels that are no longer counted', () => {
    const parked = new Figures('gauge', 'parked', 'Parked records.');
    const lines = () => parked.text().split('\n').slice(2, -1);
    parked.replace([
      { labels: { kind: 'invoice' }, figure: 2 },
      { labels: { kind: 'mail' }, figure: 1 },
    ]);
    expect(lines()).toEqual(['parked{kind="invoice"} 2', 'parked{kind="mail"} 1']);
    parked.replace([{ labels: { kind: 'mail' }, figure: 3 }]);
    expect(lines()).toEqual(['parked{kind="invoice"} 0', 'parked{kind="mail"} 3']);
  });

  it.each([
    { figure: 0.25, text: '0.25' },
    { figure: 1e21, text: '1e+21' },
    { figure: Number.POSITIVE_INFINITY, text: '+Inf' },
    { figure: Number.NEGATIVE_INFINITY, text: '-Inf' },
    { figure: Number.NaN, text: 'NaN' },
  ])('writes the number $text', ({ figure, text }) => {
    const gauge = new Figures('gauge', 'late_seconds', 'Seconds.');
    gauge.replace([{ figure }]);
    expect(gauge.text()).toContain(`\nlate_seconds ${text}\n`);
  });

  it('escapes backslashes, line ends and, in labels alone, quotes', () => {
    const gauge = new Figures('gauge', 'toys', 'A "toy"\nof C:\\.');
    gauge.replace([{ labels: { kind: 'a "toy"\nof C:\\' }, figure: 1 }]);
    expect(gauge.text()).toBe(
      String.raw`# HELP toys A "toy"\nof C:\\.
# TYPE toys gauge
toys{kind="a \"toy\"\nof C:\\"} 1
`,
    );
  });
});

describe('a histogram', () => {
  const DURATIONS = { name: 'step_seconds', help: 'Seconds.', bounds: [0.1, 1, 5] };
  const make = () => new Durations(DURATIONS.name, DURATIONS.help, DURATIONS.bounds);

  it('counts in each bucket the durations up to its bound', () => {
    const durations = make();
    for (const seconds of [0.05, 0.1, 0.5, 5, 60]) durations.record(seconds, { kind: 'mail' });
    expect(durations.text()).toBe(
      `# HELP step_seconds Seconds.
# TYPE step_seconds histogram
step_seconds_count{kind="mail"} 5
step_seconds_sum{kind="mail"} 65.65
step_seconds_bucket{kind="mail",le="0.1"} 2
step_seconds_bucket{kind="mail",le="1"} 3
step_seconds_bucket{kind="mail",le="5"} 4
step_seconds_bucket{kind="mail",le="+Inf"} 5
`,
    );
  });

  it('has series of its own for each set of labels, and needs none', () => {
    const durations = make();
    durations.record(0.5);
    durations.record(2, { kind: 'mail' });
    expect(durations.text()).toContain('step_seconds_count 1\nstep_seconds_sum 0.5\nstep_seconds_bucket{le="0.1"} 0\n');
    expect(durations.text()).toContain('step_seconds_bucket{kind="mail",le="+Inf"} 1\n');
  });

  it('is left out before its first duration', () => expect(make().text()).toBe(''));
});
