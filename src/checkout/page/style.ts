/** The additional style of the form of a sign-up page. */
export const SIGNUP_STYLE = `
.field { margin: 0 0 1.125rem; }
.field label { display: block; margin: 0 0 .25rem; font-size: var(--body); font-weight: 600; }
.field label .note { display: inline; font-weight: 400; }
.field input, .field select {
  width: 100%; min-height: 2.75rem; padding: .5rem .75rem; border: 1px solid var(--soft); border-radius: .5rem;
  background: var(--sheet); color: var(--ink); font: inherit;
}
.field [aria-invalid] { border: 2px solid var(--bad); }
.hint { margin: .25rem 0; color: var(--soft); font-size: var(--small); }
.problem { margin: .25rem 0; color: var(--bad); font-size: var(--body); font-weight: 550; }
.quiet {
  margin-top: .5rem; padding: .5rem .75rem; border: 1px solid var(--accent); background: none; color: var(--accent);
  font-weight: 550;
}
.notice h3 { margin: 0 0 .25rem; font-size: 1rem; }
.notice ul { margin: 0; padding-inline-start: 1.25rem; }
.notice a { color: inherit; }
h2.after { margin: 1.75rem 0 .5rem; font-size: var(--body); }
ul.prices { margin: 0; padding: 0; list-style: none; font-size: var(--body); }
ul.prices > li { padding: .625rem 0; border-top: 1px solid var(--line); }
.of-price { display: flex; flex-wrap: wrap; gap: 0 1.25rem; justify-content: space-between; margin: 0; }
.of-price strong { font-weight: 550; }
.of-price span { color: var(--soft); }
.prices .note { margin: 0; }
.rates { margin: .375rem 0 0; font-size: var(--small); }
.rates th, .rates td { padding: .375rem 0 .375rem .5rem; white-space: normal; min-width: 0; }
.rates th:first-child { padding-left: 0; }
.rates thead th { color: var(--soft); text-align: end; vertical-align: bottom; }
.rates thead th:first-child { text-align: start; }
`;
