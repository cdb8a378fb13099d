/** The styles of the portal beside the style sheet of all pages. */
export const STYLE = `
.bar, body > .tabs { width: 100%; max-width: 58rem; margin: 0 auto; padding: 0 1.25rem; }
.bar {
  display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; align-items: center; justify-content: space-between;
  margin-top: 1.25rem;
}
.bar .seller { margin: 0; }
.bar .who { margin: 0; color: var(--soft); font-size: var(--body); }
.bar > div { min-width: 0; }
.bar .side { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: center; }
.bar .side a { padding: .25rem 0; }
.bar form { margin: 0; }
main { margin: 0 auto auto; padding-top: 1rem; }
body > .tabs { margin-top: 1rem; }
.tabs ul {
  display: flex; gap: .25rem; margin: 0 -.25rem; padding: .25rem; list-style: none; overflow-x: auto;
  scrollbar-width: none;
}
.tabs a {
  display: block; padding: .5rem .75rem; border-radius: .5rem; color: var(--ink); text-decoration: none;
  white-space: nowrap;
}
.tabs a:hover { background: var(--sheet); text-decoration: underline; }
.tabs [aria-current] {
  background: var(--sheet); color: var(--accent); box-shadow: inset 0 -2px 0 var(--accent);
  scroll-initial-target: nearest;
}
.sheet { overflow: visible; }
.sheet > section + section { border-top: 1px solid var(--line); }
.sheet > section { padding: clamp(1.25rem, 4vw, 2rem); }
.sheet h1 {
  color: var(--ink); font-size: var(--title); line-height: 1.25; font-weight: 650; letter-spacing: -.01em;
}
.sheet h1, .sheet h2 { margin: 0; }
.sheet > section > * + *, .sheet form > * + *, .sheet .end > * + * { margin-top: 1rem; margin-bottom: 0; }
.sheet > section > :first-child, .sheet > section > .unseen + * { margin-top: 0; }
.sheet h1 + .soft, .sheet h2 + .soft, .sheet .amount + .soft { margin-top: .25rem; }
.sheet p + h2, .sheet dl + h2 { margin-top: 2rem; }
.sheet table { margin: 0; }
td span, td bdi, dd bdi { font-variant-numeric: tabular-nums; }
.row {
  display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; align-items: center; justify-content: space-between;
  padding: .875rem 0; border-top: 1px solid var(--line);
}
.sheet .row { margin-top: 0; }
.sheet h2 + .row, .sheet h1 + .row, .sheet p + .row { margin-top: .5rem; border-top: 0; }
.row > div { min-width: 0; flex: 1 1 14rem; }
.row .acts { flex: 0 1 auto; display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; }
.row strong { font-weight: 600; }
.row form { margin: 0; }
.note a { display: inline-block; padding: .125rem 0; }
button.small, .button.small {
  width: auto; min-height: 2.75rem; min-width: 10rem; margin: 0; padding: .5rem 1rem; display: inline-block;
}
.row button.small, .row .button.small { min-width: 0; }
.sheet > section > form > :not([type='hidden']) + button.small { margin-top: 1rem; }
button.second, .button.second { background: var(--tint); color: var(--ink); border: 1px solid var(--line); }
button.link {
  width: auto; min-height: 2rem; margin: 0; padding: .25rem; background: none; color: var(--accent); font-weight: 400;
  text-decoration: underline;
}
.acts-of-form { display: flex; flex-wrap: wrap; gap: 1rem; align-items: center; }
.tag {
  display: inline-block; white-space: nowrap; overflow-wrap: normal; padding: .0625rem .5rem;
  border: 1px solid var(--line); border-radius: 1rem; font-size: var(--fine); color: var(--soft);
}
.tag.bad { border-color: var(--bad); color: var(--bad); }
.tag.good { border-color: var(--good); color: var(--good); }
.card.now { cursor: default; background: var(--tint); }
.card:has(label) { position: relative; }
.card label::after { content: ""; position: absolute; inset: 0; cursor: pointer; }
.card details { position: relative; z-index: 1; }
.field label { display: block; margin: 0 0 .25rem; font-weight: 550; }
.field .hint { margin: 0 0 .25rem; color: var(--soft); font-size: var(--small); }
.field .wrong { margin: 0 0 .25rem; color: var(--bad); font-size: var(--body); }
.field input, .field select {
  width: 100%; max-width: 28rem; min-height: 2.75rem; padding: .5rem .75rem; border: 1px solid var(--soft);
  border-radius: .5rem; background: var(--sheet); color: var(--ink); font: inherit;
}
.field input[aria-invalid] { border: 2px solid var(--bad); }
.field.short input { max-width: 10rem; }
.notice a { color: inherit; }
.notice ul { margin: .25rem 0 0; padding-inline-start: 1.25rem; }
.notice li a { display: inline-block; padding: .125rem 0; }
.pages { display: flex; justify-content: space-between; gap: 1rem; }
.pages a { padding: .25rem 0; }
.chart p { margin: 0; color: var(--soft); font-size: var(--fine); font-variant-numeric: tabular-nums; }
.chart svg { display: block; width: 100%; height: 7.5rem; margin: .25rem 0; overflow: visible; }
.chart .ends { display: flex; flex-wrap: wrap; gap: 0 1rem; justify-content: space-between; }
.chart .line { fill: none; stroke: var(--accent); stroke-width: 2; vector-effect: non-scaling-stroke; }
.chart .axis { stroke: var(--line); stroke-width: 1; vector-effect: non-scaling-stroke; }
.key { display: inline-block; width: .75rem; height: .75rem; margin-inline-end: .5rem; vertical-align: -.0625rem; }
.s0 { fill: var(--accent); } .s1 { fill: #c2620a; } .s2 { fill: #0b8074; } .s3 { fill: #8a4fd3; }
.s4 { fill: #c0336f; } .s5 { fill: #5f8416; } .s6 { fill: #7a6a55; } .s7 { fill: var(--soft); }
@media (prefers-color-scheme: dark) {
  .s1 { fill: #f0a35e; } .s2 { fill: #4cc3b5; } .s3 { fill: #c09bf5; } .s4 { fill: #f48bb4; } .s5 { fill: #a9d05a; }
  .s6 { fill: #c4b296; }
}
.sub { padding-inline-start: 1rem; border-inline-start: 2px solid var(--line); }
.sub > * + * { margin-top: .75rem; }
.sub table { font-size: var(--small); }
details summary { border-top: 0; padding: .25rem 0; }
.facts { max-width: 34rem; }
.facts dt { flex: none; max-width: 50%; }
.facts dd { min-width: 0; overflow-wrap: break-word; }
.seller.end { text-align: center; }
@media (max-width: 30rem) { .row .acts { flex: 1 1 100%; } }
@media print { .tabs, .bar .side, button { display: none; } .stack details { display: none; } }
`;
