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
`;
