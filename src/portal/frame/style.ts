/** The styles of the portal beside the style sheet of all pages. */
export const STYLE = `
main { margin: 0 auto; padding-top: 1.5rem; }
.bar {
  display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; align-items: center; justify-content: space-between;
  margin: 0 0 1rem;
}
.bar .seller { margin: 0; }
.bar .who { margin: 0; color: var(--soft); font-size: var(--body); }
.bar .side { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: center; }
.bar form { margin: 0; }
.tabs { margin: 0 0 1rem; }
.tabs ul { display: flex; flex-wrap: wrap; gap: .25rem; margin: 0; padding: 0; list-style: none; }
.tabs a { display: block; padding: .5rem .75rem; border-radius: .5rem; color: var(--ink); text-decoration: none; }
.tabs a:hover { background: var(--sheet); text-decoration: underline; }
.tabs a[aria-current] { background: var(--sheet); box-shadow: inset 0 -2px 0 var(--accent); font-weight: 650; }
.sheet > section + section { border-top: 1px solid var(--line); }
.sheet > section { padding: clamp(1.25rem, 4vw, 2rem); }
.sheet h1 { color: var(--ink); font-size: var(--title); line-height: 1.25; font-weight: 650; letter-spacing: -.01em; }
.sheet h2 { margin-bottom: .75rem; }
.sheet p + h2, .sheet dl + h2 { margin-top: 1.5rem; }
.sheet > section > :last-child { margin-bottom: 0; }
.sheet table { margin-top: .75rem; }
td.start, th.start { text-align: start; white-space: normal; padding-inline-start: 0; }
thead th { font-size: var(--small); color: var(--soft); vertical-align: bottom; padding: .375rem 0; border-top: 0; }
thead th.end { text-align: end; padding-inline-start: 1.25rem; }
.wide { overflow-x: auto; }
.wide td.start, .wide th:not(.end) { padding-inline-end: .75rem; }
.wide th a { white-space: nowrap; }
.row {
  display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; align-items: center; justify-content: space-between;
  padding: .875rem 0; border-top: 1px solid var(--line);
}
.row:first-of-type { border-top: 0; }
.row > div { min-width: 0; flex: 1 1 14rem; }
.row .acts { flex: 0 1 auto; display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
.row strong { font-weight: 600; }
.row form { margin: 0; }
button.small, .button.small {
  width: auto; min-height: 2.5rem; margin: 0; padding: .5rem .875rem; display: inline-block;
}
button.second, .button.second { background: var(--tint); color: var(--ink); border: 1px solid var(--line); }
button.link {
  width: auto; min-height: 2rem; margin: 0; padding: .25rem; background: none; color: var(--accent); font-weight: 400;
  text-decoration: underline;
}
.tag {
  display: inline-block; white-space: nowrap; overflow-wrap: normal; padding: .0625rem .5rem;
  border: 1px solid var(--line); border-radius: 1rem; font-size: var(--fine); color: var(--soft);
}
.tag.bad { border-color: var(--bad); color: var(--bad); }
.tag.good { border-color: var(--good); color: var(--good); }
.field { margin: 0 0 1.125rem; }
.field label { display: block; margin: 0 0 .25rem; font-weight: 550; }
.field .hint { margin: 0 0 .25rem; color: var(--soft); font-size: var(--small); }
.field .wrong { margin: 0 0 .25rem; color: var(--bad); font-size: var(--body); }
.field input, .field select {
  width: 100%; max-width: 28rem; min-height: 2.75rem; padding: .5rem .75rem; border: 1px solid var(--soft);
  border-radius: .5rem; background: var(--sheet); color: var(--ink); font: inherit;
}
.field input[aria-invalid] { border: 2px solid var(--bad); }
.field.short input { max-width: 9rem; }
.notice a { color: inherit; }
.notice ul { margin: .25rem 0 0; padding-inline-start: 1.25rem; }
.pages { display: flex; justify-content: space-between; gap: 1rem; margin: 1rem 0 0; }
.chart { margin: .75rem 0 0; }
.chart p { margin: 0; color: var(--soft); font-size: var(--fine); font-variant-numeric: tabular-nums; }
.chart svg { display: block; width: 100%; height: 7.5rem; margin: .25rem 0; overflow: visible; }
.chart .ends { display: flex; flex-wrap: wrap; gap: 0 1rem; justify-content: space-between; }
.chart .bars { fill: var(--accent); }
.chart .line { fill: none; stroke: var(--accent); stroke-width: 2; vector-effect: non-scaling-stroke; }
.chart .axis { stroke: var(--line); stroke-width: 1; vector-effect: non-scaling-stroke; }
.sub { margin: .25rem 0 0; padding-inline-start: 1rem; border-inline-start: 2px solid var(--line); }
.sub table { margin-top: .25rem; font-size: var(--small); }
details summary { border-top: 0; padding: .25rem 0; }
.facts { max-width: 34rem; margin-top: .875rem; }
.sheet .tabs { margin-top: .75rem; }
@media (max-width: 30rem) { .row .acts { flex: 1 1 100%; } }
@media print { .tabs, .bar .side, button { display: none; } }
`;
